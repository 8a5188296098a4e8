// Runs a script: the handshake, one session unless disabled, then the steps in order. Every error
// is an event.
import * as acp from "@agentclientprotocol/sdk/unstable";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { loginInTerminal } from "./agent-process.mjs";
import { cursor as readCursor, isStopReason } from "./decoded.mjs";
import { declaration } from "./own-server.mjs";

const { agent: toAgent } = acp.methods;
const has = (value) => value !== undefined && value !== null;

/** The capability that an agent must offer for each method. */
const gates = {
  [toAgent.session.load]: ({ loadSession }) => loadSession === true,
  [toAgent.session.resume]: ({ sessionCapabilities: session }) => has(session?.resume),
  [toAgent.session.fork]: ({ sessionCapabilities: session }) => has(session?.fork),
  [toAgent.session.list]: ({ sessionCapabilities: session }) => has(session?.list),
  [toAgent.session.delete]: ({ sessionCapabilities: session }) => has(session?.delete),
  [toAgent.session.close]: ({ sessionCapabilities: session }) => has(session?.close),
  [toAgent.session.archive]: ({ sessionCapabilities: session }) => has(session?.archive),
  [toAgent.session.unarchive]: ({ sessionCapabilities: session }) => has(session?.archive),
  [toAgent.session.status]: ({ sessionCapabilities: session }) => has(session?.status),
  [toAgent.session.setTitle]: ({ sessionCapabilities: session }) => has(session?.title),
  [toAgent.logout]: ({ auth }) => has(auth?.logout),
  [toAgent.auth.status]: ({ auth }) => has(auth?.status),
  [toAgent.providers.list]: ({ providers }) => has(providers),
};

/** The maximum number of pages of a list, because an agent might never end it. */
const mostPages = 1000;

export class Script {
  capabilities = {};
  authMethods = [];
  sessionId = undefined;

  /**
   * `clientCapabilities` are the offered ones; `restart` returns a connection to a new process of
   * the agent.
   */
  constructor(connection, work, clientCapabilities, restart) {
    Object.assign(this, { connection, work, clientCapabilities, restart });
  }

  get events() {
    return this.connection.events;
  }

  get state() {
    return this.connection.state;
  }

  async call(event, method, params) {
    if (gates[method] && !gates[method](this.capabilities)) {
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

  /** Stops if the agent does not support the client's version (INIT-07). */
  async initialize() {
    const initialized = await this.call("initialized", toAgent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: this.clientCapabilities,
      clientInfo: { name: "official-ts-client", version: "2.4.0" },
    });
    if (!initialized) return false;
    this.capabilities = initialized.agentCapabilities ?? {};
    this.authMethods = initialized.authMethods ?? [];
    if (initialized.protocolVersion === acp.PROTOCOL_VERSION) return true;
    this.refuse(toAgent.initialize, `the agent speaks version ${initialized.protocolVersion}, this client only version 1`);
    return false;
  }

  /** Returns the parameters of a session that the agent supports (DIR-01, SESS-09, SYSP-01). */
  #setUp() {
    const { cwd, directories, servers, systemPrompt, mcp } = this.work;
    const { mcpCapabilities = {}, sessionCapabilities = {} } = this.capabilities;
    const takes = ({ type }) => type === undefined || mcpCapabilities[type] === true;
    const mcpServers = servers.filter(takes);
    if (mcp && mcpCapabilities.acp) mcpServers.push(declaration(this.connection.agent));
    const content = [{ type: "text", text: systemPrompt }];
    return {
      cwd,
      mcpServers,
      ...(directories.length && has(sessionCapabilities.additionalDirectories) && { additionalDirectories: directories }),
      ...(systemPrompt && has(sessionCapabilities.systemPrompt) && { systemPrompt: { mode: "append", content } }),
    };
  }

  async open() {
    const { opening, sessionId } = this.work;
    // The reply contains the id of a fork or a new session; earlier updates are buffered until then
    // (SESS-26).
    if (["load", "resume"].includes(opening)) this.#isOf(sessionId);
    const known = sessionId && { sessionId };
    const opened = await this.call("session", toAgent.session[opening], { ...known, ...this.#setUp() });
    if (!opened) return false;
    this.state.opened(opened);
    this.#isOf(opened.sessionId ?? sessionId);
    return true;
  }

  #isOf(sessionId) {
    this.sessionId = sessionId;
    this.connection.isOf(sessionId);
  }

  async run() {
    if (!(await this.initialize())) return;
    if (this.work.opening && !(await this.open())) return;
    for (const [name, ...values] of this.work.steps) {
      if (this.connection.isClosed) return;
      await this[name](...values);
    }
  }

  /** Runs one turn; an interrupt cancels it. */
  async turn(prompt, due) {
    const { sessionId } = this;
    this.connection.questions.begin();
    const ended = this.call("stop", toAgent.session.prompt, { sessionId, prompt });
    const interrupt = this.events.when("interrupt");
    const first = await Promise.race([ended.then(() => "ended"), interrupt, ...(due ? [due] : [])]);
    if (first !== "ended") await this.#cancel();
    const stopped = await ended;
    this.events.forget();
    if (stopped && !isStopReason(stopped.stopReason)) {
      this.events.error(toAgent.session.prompt, { message: `the turn ended for a reason that is unknown: ${stopped.stopReason}` });
    }
    if (stopped?.stopReason === "refusal") this.events.print("refused", { note: "this prompt and what follows leave the conversation" });
  }

  async #cancel() {
    await this.connection.agent.notify(toAgent.session.cancel, { sessionId: this.sessionId });
    this.events.print("cancel");
    this.state.cancelled();
    this.connection.questions.cancel();
  }

  prompt(text) {
    return this.turn([{ type: "text", text }]);
  }

  "prompt-cancel"(when, text) {
    const due = /^\d+$/.test(when) ? after(Number(when), "due", { ref: false }) : this.events.when(when);
    return this.turn([{ type: "text", text }], due);
  }

  "prompt-cancel-call"() {
    this.refuse("tool_call/cancel", "version 1 cannot cancel one tool call");
  }

  async "prompt-image"(file, text) {
    const blocks = [{ type: "text", text }];
    if (this.capabilities.promptCapabilities?.image) {
      const data = fs.readFileSync(file).toString("base64");
      const mimeType = `image/${path.extname(file).slice(1).replace("jpg", "jpeg") || "png"}`;
      blocks.push({ type: "image", mimeType, data });
    } else this.refuse(toAgent.session.prompt, "the agent takes no pictures");
    await this.turn(blocks);
  }

  /** If there are config options, the mode is one of them (MODE-06). */
  async mode(modeId) {
    const option = this.state.modeOption;
    if (option) {
      await this.#set(option.id, { value: modeId }, "mode");
      return;
    }
    const known = this.state.modes?.availableModes.some(({ id }) => id === modeId);
    if (known) await this.call("mode", toAgent.session.setMode, { sessionId: this.sessionId, modeId });
    else this.refuse(toAgent.session.setMode, `mode ${modeId} does not exist`);
  }

  config(id, value) {
    return this.#set(id, { value });
  }

  bool(id, value) {
    return this.#set(id, { type: "boolean", value });
  }

  /** Sets only options of the last list, and only valid values (CONF-04, CONF-12). */
  async #set(configId, given, event = "config") {
    const option = this.state.option(configId);
    const values = (option?.options ?? []).flatMap((item) => item.options ?? [item]).map(({ value }) => value);
    const fits = given.type === "boolean" ? option?.type === "boolean" : option?.type === "select" && values.includes(given.value);
    if (!fits) {
      this.refuse(toAgent.session.setConfigOption, `option ${configId} has no value ${given.value}`);
      return;
    }
    const params = { sessionId: this.sessionId, configId, ...given };
    const set = await this.call(event, toAgent.session.setConfigOption, params);
    if (set) this.state.replaceOptions(set.configOptions ?? []);
  }

  permission(kind) {
    this.connection.questions.permission = kind;
  }

  form(answer) {
    this.connection.questions.form = answer;
  }

  /** Requests every page, with unchanged cursors (LIST-06, LIST-07). */
  async list() {
    let cursor;
    for (let page = 0; page < mostPages; page += 1) {
      const listed = await this.call("sessions", toAgent.session.list, has(cursor) ? { cursor } : {});
      cursor = readCursor(listed?.nextCursor);
      if (!has(cursor)) return;
    }
    this.refuse(toAgent.session.list, `the list has more than ${mostPages} pages`);
  }

  delete(sessionId) {
    return this.call("deleted", toAgent.session.delete, { sessionId });
  }

  close() {
    return this.call("session-closed", toAgent.session.close, { sessionId: this.sessionId });
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

  logout() {
    return this.call("logged-out", toAgent.logout, {});
  }

  account() {
    return this.call("account", toAgent.auth.status, {});
  }

  providers() {
    return this.call("providers", toAgent.providers.list, {});
  }

  /**
   * A terminal login is a separate program; the agent is restarted after it (AUTH-06, AUTH-08).
   */
  async login(methodId) {
    const method = this.authMethods.find(({ id }) => id === methodId);
    if (!method) {
      this.refuse(toAgent.authenticate, `the agent offers no login ${methodId}`);
      return;
    }
    if (method.type !== "terminal") {
      await this.call("logged-in", toAgent.authenticate, { methodId });
      return;
    }
    // A login in a terminal runs the program of the agent, which an address has not.
    if (this.work.url || !(await loginInTerminal(this.work.agent, method))) {
      this.events.error(toAgent.authenticate, { message: `the login ${methodId} failed` });
      return;
    }
    this.events.print("logged-in");
    await this.connection.end();
    this.connection = this.restart();
    await this.initialize();
  }
}
