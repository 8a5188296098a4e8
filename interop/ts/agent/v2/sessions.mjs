// The sessions of one connection of version 2.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { newRecord } from "../store.mjs";
import { configOptions } from "./options.mjs";
import { Session } from "./session.mjs";

const { invalidParams, sessionNotFound } = acp.RequestError;
const pageSize = 5;

function check({ cwd, additionalDirectories, mcpServers }) {
  for (const folder of [cwd, ...(additionalDirectories ?? [])]) {
    if (!path.isAbsolute(folder)) throw invalidParams(undefined, `${folder} is not absolute`);
  }
  if (mcpServers?.length) throw invalidParams(undefined, "MCP servers are not supported");
}

export class Sessions {
  #open = new Map();
  /** The capabilities of the client. */
  clientCapabilities = {};

  constructor(store, account) {
    Object.assign(this, { store, account });
  }

  /** Returns a session of this connection, or throws -32002. */
  opened(id) {
    const session = this.#open.get(id);
    if (!session) throw sessionNotFound(id);
    return session;
  }

  ifOpened(id) {
    return this.#open.get(id);
  }

  #stored(id) {
    const record = this.store.get(id);
    if (!record) throw sessionNotFound(id);
    return record;
  }

  #attach(record, params, client) {
    this.account.require();
    record.directories = params.additionalDirectories ?? [];
    const session = new Session(this.store, client, record);
    session.clientCapabilities = this.clientCapabilities;
    this.#open.set(record.id, session);
    session.save();
    return session;
  }

  /** Opens a session whose id the client learns from the reply; its updates follow the reply. */
  #openNew(record, params, client) {
    const session = this.#attach(record, params, client);
    immediate().then(() => session.greet());
    return { sessionId: record.id, configOptions: configOptions(record.options) };
  }

  new(params, client) {
    check(params);
    return this.#openNew(newRecord(`official-ts-${randomUUID()}`, params.cwd, []), params, client);
  }

  fork(params, client) {
    check(params);
    const { id, cwd, directories, ...context } = this.#stored(params.sessionId);
    const fresh = newRecord(`official-ts-${randomUUID()}`, params.cwd, []);
    return this.#openNew({ ...fresh, ...structuredClone(context) }, params, client);
  }

  /** Replays the session if the client asks, then tells its state. Its folder never changes. */
  async resume(params, client) {
    check(params);
    const record = this.#stored(params.sessionId);
    if (record.cwd !== params.cwd) throw invalidParams(undefined, `this session belongs to ${record.cwd}`);
    const { replayFrom } = params;
    if (replayFrom && replayFrom.type !== "start") throw invalidParams(undefined, "a replay begins only at the start");
    if (this.#open.get(record.id)?.turn) throw invalidParams(undefined, "a turn of this session is running");
    const session = this.#attach(record, params, client);
    for (const update of replayFrom ? record.transcript : []) await session.notify(update);
    if (record.title) await session.notify({ sessionUpdate: "session_info_update", title: record.title });
    await session.greet();
    return { configOptions: configOptions(record.options) };
  }

  /** Closing is idempotent. The end of the turn is reported before the reply. */
  async close({ sessionId }) {
    const session = this.#open.get(sessionId);
    session?.cancel();
    await session?.turn?.ended;
    this.#open.delete(sessionId);
    return {};
  }

  async delete({ sessionId }) {
    await this.close({ sessionId });
    this.store.delete(sessionId);
    return {};
  }

  status({ sessionId }) {
    this.#stored(sessionId);
    return { status: this.#open.has(sessionId) ? "open" : "saved" };
  }

  setTitle({ sessionId, title }) {
    const record = this.#stored(sessionId);
    record.title = title.replace(/\s+/g, " ").trim();
    if (!record.title) throw invalidParams(undefined, "a title must not be blank");
    this.store.save(record);
    return { title: record.title };
  }

  /** Returns one page. The cursor names the last session of the previous page. */
  list({ cwd, cursor }) {
    const all = this.store.all().filter((record) => !cwd || record.cwd === cwd);
    const last = cursor && Buffer.from(cursor, "base64url").toString();
    const from = cursor ? all.findIndex(({ id }) => id === last) + 1 : 0;
    if (cursor && !from) throw invalidParams(undefined, "invalid cursor");
    const page = all.slice(from, from + pageSize);
    const sessions = page.map(({ id, cwd, title, updatedAt }) => ({ sessionId: id, cwd, ...(title && { title }), updatedAt }));
    return { sessions, ...(from + pageSize < all.length && { nextCursor: Buffer.from(page.at(-1).id).toString("base64url") }) };
  }
}
