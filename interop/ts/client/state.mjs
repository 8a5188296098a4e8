// The state of the session: a later list replaces the previous one, and fields that an update omits
// stay (TOOL-05, PLAN-03, CONF-04).
import { configOptions, modes } from "./decoded.mjs";

const has = (value) => value !== undefined && value !== null;

export class State {
  modes;
  options = [];
  calls = new Map();
  plans = new Map();
  compactions = new Map();
  children = new Map();

  constructor(events) {
    this.events = events;
  }

  /** Applies the result of new, load, resume or fork. */
  opened(session) {
    this.modes = modes(session.modes);
    const options = configOptions(session.configOptions);
    if (options) this.replaceOptions(options);
  }

  replaceOptions(given) {
    this.options = configOptions(given) ?? [];
    const shown = this.options.map(({ id, name, currentValue }) => ({ id, name, currentValue }));
    this.events.print("options", { options: shown });
  }

  option(id) {
    return this.options.find((option) => option.id === id);
  }

  /**
   * If there are config options, only they count (MODE-06); the first in the category `mode` is the
   * mode.
   */
  get modeOption() {
    return this.options.find(({ category }) => category === "mode");
  }

  apply(update) {
    const kinds = {
      tool_call: () => this.#call(update, { kind: "other", status: "pending", content: [], locations: [] }),
      tool_call_update: () => this.#call(update, this.calls.get(update.toolCallId)),
      plan: () => this.#plan("", update.entries),
      plan_update: () => this.#plan(update.plan.planId, update.plan.entries ?? update.plan.content ?? update.plan.uri),
      plan_removed: () => this.#plan(update.planId),
      available_commands_update: () =>
        this.events.print("commands", { commands: update.availableCommands.map(({ name }) => `/${name}`) }),
      current_mode_update: () => {
        if (this.modes) this.modes.currentModeId = update.currentModeId;
      },
      config_option_update: () => this.replaceOptions(update.configOptions),
      usage_update: () => this.#usage(update),
      compaction_update: () => this.#compaction(update, (old) => update.summary ?? (update.summary === null ? [] : old)),
      compaction_summary_chunk: () => this.#compaction(update, (old) => [...old, update.content]),
      subagent_update: () => this.#child(update),
    };
    kinds[update.sessionUpdate]?.();
  }

  /**
   * Omitted fields stay, and null clears them (COMP-05). A summary replaces its pieces (COMP-06).
   */
  #compaction({ compactionId, status }, summaryAfter) {
    const old = this.compactions.get(compactionId) ?? { status: "in_progress", summary: [] };
    const compaction = { status: status ?? old.status, summary: summaryAfter(old.summary) };
    this.compactions.set(compactionId, compaction);
    this.events.print("compaction", { compactionId, ...compaction });
  }

  /** Null clears the state of a child, and a new state replaces the previous one (SUB-03). */
  #child({ sessionUpdate, sessionId, ...fields }) {
    const child = { ...this.children.get(sessionId), ...fields };
    this.children.set(sessionId, child);
    this.events.print("child", { sessionId, ...child });
  }

  /** A change of an unknown call creates one only if it has a title (TOOL-04). */
  #call({ sessionUpdate, toolCallId, ...fields }, before) {
    if (!before && !fields.title) return;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => has(value)));
    const call = { ...before, ...given };
    this.calls.set(toolCallId, call);
    this.#show(toolCallId, call);
  }

  #show(toolCallId, { title, kind, status, content }) {
    this.events.print("call", { toolCallId, title, kind, status, content });
  }

  /** A permission request also changes its call (PERM-10). */
  asked({ toolCallId, ...fields }) {
    this.#call({ toolCallId, ...fields }, this.calls.get(toolCallId));
  }

  #plan(id, content) {
    if (has(content)) this.plans.set(id, content);
    else this.plans.delete(id);
    this.events.print("plans", { plans: [...this.plans].map(([planId, plan]) => ({ planId, plan })) });
  }

  #usage({ used, size }) {
    const percent = size > 0 ? Math.min(100, Math.round((used * 100) / size)) : null;
    this.events.print("usage", { used, size, percent });
  }

  /**
   * Unfinished calls are shown as cancelled; later updates for them are shown too (CANCEL-06,
   * CANCEL-07).
   */
  cancelled() {
    for (const [id, call] of this.calls) {
      if (["pending", "in_progress"].includes(call.status)) this.#show(id, { ...call, status: "cancelled" });
    }
  }
}
