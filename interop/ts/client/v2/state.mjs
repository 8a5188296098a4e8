// The state of the session in version 2: an update of a message or a tool call creates or changes
// it, omitted fields stay, and null clears a field. `state_update` owns the turn.

const has = (value) => value !== undefined && value !== null;

/** The updates that do not come from the work of a turn. */
const outsideOfWork = new Set(["state_update", "user_message"]);
const unfinished = new Set(["pending", "in_progress", "paused"]);

export class State {
  options = [];
  calls = new Map();
  messages = new Map();
  plans = new Map();
  sessionId = undefined;
  #early = [];
  #turn = undefined;

  constructor(events) {
    this.events = events;
  }

  /** Selects the session to show, and applies its updates that arrived earlier. */
  isOf(sessionId) {
    this.sessionId = sessionId;
    for (const params of this.#early.splice(0)) this.receive(params);
  }

  receive(params) {
    const { sessionId, update } = params;
    if (!this.sessionId) this.#early.push(params);
    if (sessionId !== this.sessionId) return;
    this.events.print("update", { update });
    this.#apply(update);
    if (!outsideOfWork.has(update.sessionUpdate)) this.events.seen("update");
  }

  /**
   * Returns a promise of the idle state that ends the next turn. An idle state before the turn has
   * become active belongs to earlier work.
   */
  turn() {
    return new Promise((resolve) => {
      this.#turn = { isActive: false, resolve };
    });
  }

  replaceOptions(given) {
    this.options = given ?? [];
    const shown = this.options.map(({ configId, name, currentValue }) => ({ configId, name, currentValue }));
    this.events.print("options", { options: shown });
  }

  option(configId) {
    return this.options.find((option) => option.configId === configId);
  }

  get modeOption() {
    return this.options.find(({ category }) => category === "mode");
  }

  /** Returns the unfinished tool call that offers to be cancelled, if there is one. */
  get cancellable() {
    return [...this.calls].find(([, { status, capabilities }]) => unfinished.has(status) && has(capabilities?.cancel))?.[0];
  }

  #apply(update) {
    const chunk = () => this.#message({ ...update, content: [...(this.messages.get(update.messageId)?.content ?? []), update.content] });
    const kinds = {
      state_update: () => this.#state(update),
      user_message: () => this.#message(update),
      agent_message: () => this.#message(update),
      agent_thought: () => this.#message(update),
      user_message_chunk: chunk,
      agent_message_chunk: chunk,
      agent_thought_chunk: chunk,
      tool_call_update: () => this.#call(update),
      tool_call_content_chunk: () => {
        const { toolCallId, content } = update;
        this.#call({ toolCallId, content: [...(this.calls.get(toolCallId)?.content ?? []), content] });
      },
      plan_update: () => this.#plan(update.plan.planId, update.plan),
      plan_removed: () => this.#plan(update.planId),
      available_commands_update: () =>
        this.events.print("commands", { commands: update.availableCommands.map(({ name }) => `/${name}`) }),
      config_option_update: () => this.replaceOptions(update.configOptions),
      usage_update: () => this.events.print("usage", { used: update.used, size: update.size }),
    };
    kinds[update.sessionUpdate]?.();
  }

  #state({ sessionUpdate, ...state }) {
    this.events.print("state", state);
    const turn = this.#turn;
    if (!turn) return;
    if (state.state !== "idle") turn.isActive = true;
    else if (turn.isActive) {
      this.#turn = undefined;
      turn.resolve(state);
    }
  }

  /** Shows the text of each complete message once, at the end of the turn; here it only changes. */
  #message({ sessionUpdate, messageId, content }) {
    const kind = sessionUpdate.replace("_chunk", "");
    const old = this.messages.get(messageId) ?? { kind, content: [] };
    this.messages.set(messageId, { ...old, content: content === undefined ? old.content : (content ?? []) });
  }

  /** Prints all messages so far, in the order of their creation. */
  printMessages() {
    const text = ({ kind, content }) => ({ kind, text: content.map((block) => block.text ?? `[${block.type}]`).join("") });
    this.events.print("messages", { messages: [...this.messages.values()].map(text) });
  }

  #call({ sessionUpdate, toolCallId, ...fields }) {
    const call = { kind: "other", status: "pending", content: [], ...this.calls.get(toolCallId) };
    for (const [name, value] of Object.entries(fields)) {
      if (value === null) delete call[name];
      else if (value !== undefined) call[name] = value;
    }
    this.calls.set(toolCallId, call);
    const { title, kind, status, content, capabilities } = call;
    this.events.print("call", { toolCallId, title, kind, status, content: content ?? [], ...(capabilities && { capabilities }) });
    if (this.cancellable) this.events.seen("cancellable");
  }

  /** A permission request also changes its call. */
  asked(toolCall) {
    if (toolCall) this.#call(toolCall);
  }

  #plan(id, plan) {
    if (plan) this.plans.set(id, plan);
    else this.plans.delete(id);
    this.events.print("plans", { plans: [...this.plans.values()] });
  }
}
