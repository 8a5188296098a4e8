// The person's answers to permission requests and elicitations, as set by the script.
import * as acp from "@agentclientprotocol/sdk/unstable";
import { fill } from "./form.mjs";

export class Questions {
  /** A kind of option, `cancelled`, or `wait`. */
  permission = "reject_once";
  /** `accept`, `decline`, `cancel`, or `wait`. */
  form = "decline";
  /**
   * Whether the current turn was cancelled: later questions then get that answer (PERM-06,
   * ELIC-26).
   */
  isCancelled = false;
  #open = new Set();

  constructor(events, state, offers) {
    Object.assign(this, { events, state, offers });
  }

  /**
   * Leaves a question open until the turn is cancelled or the agent withdraws it, and answers it
   * then (CANCEL-05, CANCEL-21).
   */
  #leave(answer, signal) {
    return new Promise((resolve) => {
      const settle = () => {
        this.#open.delete(settle);
        resolve(answer);
      };
      this.#open.add(settle);
      const withdrawn = () => {
        if (this.#open.has(settle)) this.events.print("withdrawn");
        settle();
      };
      signal.addEventListener("abort", withdrawn, { once: true });
    });
  }

  ask({ toolCall, options }, signal) {
    return this.answer({ toolCall }, toolCall, options, signal);
  }

  /** Prints a permission request as `shown`, applies its tool call, and answers it. */
  answer(shown, toolCall, options, signal) {
    const cancelled = { outcome: "cancelled" };
    const option = !this.isCancelled && options.find(({ kind }) => kind === this.permission);
    const outcome = option ? { outcome: "selected", optionId: option.optionId } : cancelled;
    const isLeft = this.permission === "wait" && !this.isCancelled;
    this.state.asked(toolCall);
    this.events.print("permission", { ...shown, options, outcome: isLeft ? null : outcome });
    this.events.seen("permission");
    return isLeft ? this.#leave({ outcome: cancelled }, signal) : { outcome };
  }

  /** An unknown mode or property never counts as a known one (ELIC-02, ELIC-22). */
  elicit(params, signal) {
    const { mode, message, requestedSchema, url } = params;
    if (!["form", "url"].includes(mode) || !this.offers(mode)) {
      throw acp.RequestError.invalidParams(undefined, `elicitations of mode ${mode} are not offered`);
    }
    if (params.sessionId === undefined && params.requestId === undefined) {
      throw acp.RequestError.invalidParams(undefined, "an elicitation needs either a session or a request");
    }
    // Only the person opens the page; this client fetches nothing (ELIC-09).
    const shown = mode === "url" ? { url, host: new URL(url).host } : { requestedSchema };
    const answer = this.#answer(mode, requestedSchema);
    const isLeft = this.form === "wait" && !this.isCancelled;
    this.events.print("form", { mode, message, ...shown, answer: isLeft ? null : answer });
    this.events.seen("permission");
    return isLeft ? this.#leave({ action: "cancel" }, signal) : answer;
  }

  #answer(mode, schema) {
    if (this.isCancelled) return { action: "cancel" };
    if (this.form !== "accept") return { action: this.form === "cancel" ? "cancel" : "decline" };
    if (mode === "url") return { action: "accept" };
    const content = fill(schema);
    return content ? { action: "accept", content } : { action: "decline" };
  }

  /** Starts a turn. */
  begin() {
    this.isCancelled = false;
  }

  cancel() {
    this.isCancelled = true;
    for (const settle of [...this.#open]) settle();
  }
}
