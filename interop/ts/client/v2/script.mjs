// Runs a script in version 2: the handshake, one session unless disabled, then the steps in order.
// Every error is an event.
//
// The reply to a prompt is printed as `accepted`, the idle state that ends the turn as `stop`, and
// each state as `state`. After a turn and after a load, `messages` shows the conversation. `--load`
// resumes with a replay, `--resume` without one. `mode` sets the option in the category `mode`.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as after } from "node:timers/promises";

const { agent: toAgent } = acp.methods;
const has = (value) => value !== undefined && value !== null;

/** The member of the agent's `session` capabilities that offers each method. */
const gates = {
  [toAgent.session.fork]: "fork",
  [toAgent.session.delete]: "delete",
  [toAgent.session.archive]: "archive",
  [toAgent.session.unarchive]: "archive",
  [toAgent.session.status]: "status",
  [toAgent.session.setTitle]: "title",
};

const loginMethods = new Set([toAgent.auth.login, toAgent.auth.logout]);
const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"];

/** The maximum number of pages of a list, because an agent might never end it. */
const mostPages = 1000;

export class Script {
  capabilities = {};
  authMethods = [];
  sessionId = undefined;

  constructor(connection, work, events, state, questions) {
    Object.assign(this, { connection, work, events, state, questions });
  }

  /** Returns whether the agent offers a method: its capability, or a login method. */
  #isOffered(method) {
    const { session } = this.capabilities;
    if (loginMethods.has(method)) return this.authMethods.length > 0;
    if (method === toAgent.auth.status) return has(this.capabilities.auth?.status);
    if (method === toAgent.providers.list) return has(this.capabilities.providers);
    if (!method.startsWith("session/")) return true;
    return has(session) && (!gates[method] || has(session[gates[method]]));
  }

  async call(event, method, params) {
    if (!this.#isOffered(method)) {
      this.events.error(method, { code: -32601, message: "the agent does not offer this" });
      return undefined;
    }
    try {
      const response = (await this.connection.agent.request(method, params)) ?? {};
      this.events.print(event, response);
      return response;
    } catch (error) {
      const code = error instanceof acp.RequestError ? error.code : -32603;
      this.events.error(method, { code, message: error.message, data: error.data ?? null });
      return undefined;
    }
  }

  refuse(method, message) {
    this.events.error(method, { code: -32602, message });
  }

  /** Returns whether the agent speaks version 2. */
  async initialize() {
    const { without } = this.work;
    const marker = (name) => (without.has(name) ? undefined : {});
    const initialized = await this.call("initialized", toAgent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      info: { name: "official-ts-client-v2", version: "2.4.0" },
      capabilities: { elicitation: { form: marker("form"), url: marker("url") } },
    });
    if (!initialized) return false;
    this.capabilities = initialized.capabilities ?? {};
    this.authMethods = initialized.authMethods ?? [];
    if (initialized.protocolVersion === acp.PROTOCOL_VERSION) return true;
    this.refuse(toAgent.initialize, `the agent speaks version ${initialized.protocolVersion}, this client only version 2`);
    return false;
  }

  async open() {
    const { opening, sessionId, cwd, directories } = this.work;
    const folders = has(this.capabilities.session?.additionalDirectories) ? directories : [];
    const params = { cwd, ...(folders.length && { additionalDirectories: folders }) };
    const again = { ...params, sessionId };
    const calls = {
      new: [toAgent.session.new, params],
      load: [toAgent.session.resume, { ...again, replayFrom: { type: "start" } }],
      resume: [toAgent.session.resume, again],
      fork: [toAgent.session.fork, again],
    };
    if (["load", "resume"].includes(opening)) this.#isOf(sessionId);
    const opened = await this.call("session", ...calls[opening]);
    if (!opened) return false;
    if (opened.configOptions) this.state.replaceOptions(opened.configOptions);
    this.#isOf(opened.sessionId ?? sessionId);
    if (opening === "load") this.state.printMessages();
    return true;
  }

  #isOf(sessionId) {
    this.sessionId = sessionId;
    this.state.isOf(sessionId);
  }

  async run() {
    if (!(await this.initialize())) return;
    if (this.work.opening && !(await this.open())) return;
    for (const [name, ...values] of this.work.steps) {
      if (this.connection.signal.aborted) return;
      if (this[name]) await this[name](...values);
      else this.refuse(name, "version 2 has no such step");
    }
  }

  /**
   * Runs one turn, up to the idle state; an interrupt cancels it. `act` runs when `due` is
   * fulfilled, and cancels the turn unless it is given.
   */
  async turn(prompt, due, act = () => this.#cancel()) {
    const { sessionId } = this;
    this.questions.begin();
    const idle = this.state.turn();
    const accepted = this.call("accepted", toAgent.session.prompt, { sessionId, prompt });
    const closed = this.connection.closed.then(() => undefined);
    const ended = accepted.then((reply) => reply && Promise.race([idle, closed]));
    const first = await Promise.race([ended.then(() => "ended"), this.events.when("interrupt"), ...(due ? [due] : [])]);
    if (first !== "ended") await act();
    const stop = await ended;
    this.events.forget();
    if (!stop) return;
    this.events.print("stop", stop);
    if (has(stop.stopReason) && !stopReasons.includes(stop.stopReason)) {
      this.events.error(toAgent.session.prompt, { message: `the turn ended for a reason that is unknown: ${stop.stopReason}` });
    }
    this.state.printMessages();
  }

  async #cancel() {
    await this.connection.agent.notify(toAgent.session.cancel, { sessionId: this.sessionId });
    this.events.print("cancel");
    this.questions.cancel();
  }

  prompt(text) {
    return this.turn([{ type: "text", text }]);
  }

  "prompt-cancel"(when, text) {
    const due = /^\d+$/.test(when) ? after(Number(when), "due", { ref: false }) : this.events.when(when);
    return this.turn([{ type: "text", text }], due);
  }

  "prompt-cancel-call"(text) {
    const cancel = () => {
      const { sessionId } = this;
      return this.call("call-cancelled", toAgent.toolCall.cancel, { sessionId, toolCallId: this.state.cancellable });
    };
    return this.turn([{ type: "text", text }], this.events.when("cancellable"), cancel);
  }

  async "prompt-image"(file, text) {
    const blocks = [{ type: "text", text }];
    if (has(this.capabilities.session?.prompt?.image)) {
      const data = fs.readFileSync(file).toString("base64");
      blocks.push({ type: "image", mimeType: `image/${path.extname(file).slice(1).replace("jpg", "jpeg") || "png"}`, data });
    } else this.refuse(toAgent.session.prompt, "the agent takes no pictures");
    await this.turn(blocks);
  }

  async mode(value) {
    const option = this.state.modeOption;
    if (option) await this.#set(option.configId, { type: "id", value }, "mode");
    else this.refuse(toAgent.session.setConfigOption, "the agent has no modes");
  }

  config(configId, value) {
    return this.#set(configId, { type: "id", value });
  }

  bool(configId, value) {
    return this.#set(configId, { type: "boolean", value });
  }

  /** Sets only options of the last list, and only valid values. */
  async #set(configId, given, event = "config") {
    const option = this.state.option(configId);
    const values = (option?.options ?? []).flatMap((item) => item.options ?? [item]).map(({ value }) => value);
    const fits = given.type === "boolean" ? option?.type === "boolean" : option?.type === "select" && values.includes(given.value);
    if (!fits) {
      this.refuse(toAgent.session.setConfigOption, `option ${configId} has no value ${given.value}`);
      return;
    }
    const set = await this.call(event, toAgent.session.setConfigOption, { sessionId: this.sessionId, configId, ...given });
    if (set) this.state.replaceOptions(set.configOptions);
  }

  permission(kind) {
    this.questions.permission = kind;
  }

  form(answer) {
    this.questions.form = answer;
  }

  /** Requests every page, with unchanged cursors. */
  async list() {
    let cursor;
    for (let page = 0; page < mostPages; page += 1) {
      const listed = await this.call("sessions", toAgent.session.list, has(cursor) ? { cursor } : {});
      cursor = listed?.nextCursor;
      if (!has(cursor)) return;
    }
    this.refuse(toAgent.session.list, `the list has more than ${mostPages} pages`);
  }

  close() {
    return this.call("session-closed", toAgent.session.close, { sessionId: this.sessionId });
  }

  delete(sessionId) {
    return this.call("deleted", toAgent.session.delete, { sessionId });
  }

  archive(sessionId) {
    return this.call("archived", toAgent.session.archive, { sessionId });
  }

  unarchive(sessionId) {
    return this.call("unarchived", toAgent.session.unarchive, { sessionId });
  }

  status(sessionId) {
    return this.call("status", toAgent.session.status, { sessionId });
  }

  title(sessionId, title) {
    return this.call("title", toAgent.session.setTitle, { sessionId, title });
  }

  /** A terminal login is a separate program, which this client does not start (V2-08). */
  async login(methodId) {
    const method = this.authMethods.find((offered) => offered.methodId === methodId);
    if (method?.type === "agent") await this.call("logged-in", toAgent.auth.login, { methodId });
    else this.refuse(toAgent.auth.login, `the agent offers no login ${methodId} by a call`);
  }

  logout() {
    return this.call("logged-out", toAgent.auth.logout, {});
  }

  account() {
    return this.call("account", toAgent.auth.status, {});
  }

  providers() {
    return this.call("providers", toAgent.providers.list, {});
  }
}
