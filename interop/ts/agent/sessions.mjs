// The sessions of one connection: creating, loading, closing and listing them.
import * as acp from "@agentclientprotocol/sdk/unstable";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { McpServers } from "./mcp.mjs";
import { configOptions, modeState, setOption } from "./options.mjs";
import { newRecord, remember } from "./store.mjs";
import { offers } from "./offers.mjs";
import { slashCommands } from "./slash.mjs";

const { client: toClient } = acp.methods;
const { invalidParams, invalidRequest, sessionNotFound } = acp.RequestError;
const pageSize = 5;

function checkFolders({ cwd, additionalDirectories }) {
  if (!path.isAbsolute(cwd)) throw invalidParams(undefined, "cwd must be absolute");
  for (const folder of additionalDirectories ?? []) {
    if (!path.isAbsolute(folder)) throw invalidParams(undefined, "additionalDirectories must be absolute");
  }
}

/** A system prompt that cannot be applied fails the call, and no session is created (SYSP-02). */
function checkSystemPrompt(systemPrompt) {
  if (!systemPrompt) return;
  const { mode, content } = systemPrompt;
  if (!["append", "override"].includes(mode)) throw invalidParams(undefined, `unknown system prompt mode ${mode}`);
  if (!content.length || content.some(({ type }) => type !== "text")) {
    throw invalidParams(undefined, "a system prompt must be text");
  }
}

function checkServers(servers) {
  for (const { type, command } of servers ?? []) {
    if (type === "sse") throw invalidParams(undefined, "MCP servers of type sse are not supported");
    if (command !== undefined && !path.isAbsolute(command)) throw invalidParams(undefined, "the command of an MCP server must be absolute");
  }
}

/** An open session: its record, its MCP servers, and its current turn. */
export class Session {
  constructor(sessions, client, record, directories) {
    Object.assign(this, { sessions, client, record, directories, mcp: new McpServers(), turn: undefined, greeted: undefined });
  }

  get id() {
    return this.record.id;
  }

  /** Sends an update and stores it; the history gets `kept` instead, if given. */
  async update(update, kept = update) {
    remember(this.record, kept);
    await this.client.notify(toClient.session.update, { sessionId: this.id, update });
  }

  save() {
    this.record.updatedAt = new Date().toISOString();
    this.sessions.store.save(this.record);
  }

  configOptions() {
    return configOptions(this.record.options, this.sessions.offered("boolean"));
  }

  state() {
    return { modes: modeState(this.record.options), configOptions: this.configOptions() };
  }

  /** Sets an option for the client, and sends the changes that are not in the reply (MODE-07). */
  async set(id, value, isByMode) {
    const changesMode = setOption(this.record.options, id, value, this.sessions.offered("boolean"));
    if (changesMode) await this.update({ sessionUpdate: "current_mode_update", currentModeId: value });
    if (changesMode && isByMode) await this.update({ sessionUpdate: "config_option_update", configOptions: this.configOptions() });
    this.save();
  }

  async greet() {
    await this.update({ sessionUpdate: "available_commands_update", availableCommands: slashCommands });
    const { used, cost } = this.record;
    if (used !== undefined) await this.update(usageUpdate(used, cost));
  }

  /**
   * Cancels the turn, and waits until its response and everything else is on its way (SESS-25).
   */
  async stop() {
    await this.greeted;
    this.turn?.cancel();
    await this.turn?.ended;
    this.mcp.close();
  }
}

export function usageUpdate(used, cost) {
  return { sessionUpdate: "usage_update", used, size: 200_000, ...(cost && { cost: { amount: cost, currency: "USD" } }) };
}

export class Sessions {
  #open = new Map();

  constructor(store, account) {
    Object.assign(this, { store, account, clientCapabilities: {} });
  }

  offered(what) {
    return offers(this.clientCapabilities, what);
  }

  /** Returns a session of this connection, or throws -32002. */
  opened(id) {
    const session = this.#open.get(id);
    if (!session) throw sessionNotFound(id);
    return session;
  }

  /**
   * Returns `undefined` if the session is not open: without a turn there is nothing to cancel
   * (CANCEL-08).
   */
  ifOpened(id) {
    return this.#open.get(id);
  }

  #stored(id) {
    const record = this.store.get(id);
    if (!record) throw sessionNotFound(id);
    return record;
  }

  async #attach(record, params, client) {
    const session = new Session(this, client, record, params.additionalDirectories ?? []);
    if (params.systemPrompt) record.systemPrompt = params.systemPrompt;
    const missing = await session.mcp.open(params.mcpServers ?? [], record.cwd, client);
    this.#open.set(record.id, session);
    session.save();
    for (const title of missing) console.error(title);
    const tell = async () => {
      if (!this.offered("notice")) return;
      for (const title of missing) await session.update({ sessionUpdate: "notice", severity: "warning", title });
    };
    return { session, tell };
  }

  #check(params) {
    this.account.require();
    checkFolders(params);
    checkSystemPrompt(params.systemPrompt);
    checkServers(params.mcpServers);
  }

  /** Sends updates that the client may receive only once it knows the session's id. */
  #afterReply(session, act) {
    session.greeted = immediate().then(act).catch((error) => console.error(error.message));
  }

  async new(params, client) {
    this.#check(params);
    const record = newRecord(`official-ts-${randomUUID()}`, params.cwd, params.additionalDirectories ?? []);
    const { session, tell } = await this.#attach(record, params, client);
    this.#afterReply(session, () => session.greet().then(tell));
    return { sessionId: record.id, ...session.state() };
  }

  async fork(params, client) {
    this.#check(params);
    const { id, cwd, directories, archived, ...context } = this.#stored(params.sessionId);
    const fresh = newRecord(`official-ts-${randomUUID()}`, params.cwd, params.additionalDirectories ?? []);
    const record = { ...fresh, ...structuredClone(context) };
    const { session, tell } = await this.#attach(record, params, client);
    this.#afterReply(session, () => session.greet().then(tell));
    return { sessionId: record.id, ...session.state() };
  }

  /** Loads or resumes a session. Its folder never changes (SESS-04). */
  async #again(params, client, replays) {
    this.#check(params);
    const record = this.#stored(params.sessionId);
    if (record.cwd !== params.cwd) throw invalidParams(undefined, `this session belongs to ${record.cwd}`);
    if (this.#open.get(record.id)?.turn) throw invalidRequest(undefined, "a turn of this session is running");
    await this.#open.get(record.id)?.stop();
    record.directories = params.additionalDirectories ?? [];
    const { session, tell } = await this.#attach(record, params, client);
    if (replays) await this.#replay(session);
    await session.greet();
    await tell();
    return session.state();
  }

  load(params, client) {
    return this.#again(params, client, true);
  }

  resume(params, client) {
    return this.#again(params, client, false);
  }

  async #replay({ id, client, record }) {
    const notify = (update) => client.notify(toClient.session.update, { sessionId: id, update });
    for (const update of record.transcript) {
      if (this.offered(update.sessionUpdate)) await notify(update);
    }
    if (record.title) await notify({ sessionUpdate: "session_info_update", title: record.title, updatedAt: record.updatedAt });
  }

  async #shut(id) {
    const session = this.#open.get(id);
    await session?.stop();
    this.#open.delete(id);
  }

  async close({ sessionId }) {
    this.opened(sessionId);
    await this.#shut(sessionId);
    return {};
  }

  /** Deleting an unknown session succeeds (DEL-03). */
  async delete({ sessionId }) {
    await this.#shut(sessionId);
    this.store.delete(sessionId);
    return {};
  }

  async archive({ sessionId }, archived) {
    const record = this.#stored(sessionId);
    if (archived) await this.#shut(sessionId);
    record.archived = archived;
    this.store.save(record);
    return {};
  }

  status({ sessionId }) {
    this.#stored(sessionId);
    return { status: this.#open.has(sessionId) ? "open" : "saved" };
  }

  setTitle({ sessionId, title }) {
    const record = this.#stored(sessionId);
    const stored = title.replace(/\s+/g, " ").trim();
    if (!stored) throw invalidParams(undefined, "a title must not be blank");
    record.title = stored;
    this.store.save(record);
    return { title: stored };
  }

  /** Returns one page. The cursor names the last session of the previous page. */
  list({ cwd, cursor, archived }) {
    const filter = archived ?? "exclude";
    if (!["exclude", "include", "only"].includes(filter)) throw invalidParams(undefined, `unknown archived filter ${filter}`);
    const fits = (record) => (!cwd || record.cwd === cwd) && (filter === "include" || record.archived === (filter === "only"));
    const all = this.store.all().filter(fits);
    let from = 0;
    if (cursor) {
      const last = Buffer.from(cursor, "base64url").toString();
      from = all.findIndex(({ id }) => id === last) + 1;
      if (!from) throw invalidParams(undefined, "invalid cursor");
    }
    const page = all.slice(from, from + pageSize);
    const more = from + pageSize < all.length && { nextCursor: Buffer.from(page.at(-1).id).toString("base64url") };
    return { sessions: page.map(info), ...more };
  }

  end() {
    for (const session of this.#open.values()) {
      session.turn?.cancel();
      session.turn?.kill();
      session.mcp.close();
    }
  }
}

function info({ id, cwd, directories, title, updatedAt, archived }) {
  const more = { ...(directories.length && { additionalDirectories: directories }), ...(title && { title }) };
  return { sessionId: id, cwd, ...more, updatedAt, archived };
}
