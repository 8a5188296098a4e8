// The contents of a session, stored as one JSON file per session in a folder, or only in memory.
import fs from "node:fs";
import path from "node:path";

/** Updates that are history: a load sends them again. A notice is not history (NOTE-03). */
const history = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "plan_update",
  "plan_removed",
  "compaction_update",
  "compaction_summary_chunk",
]);

/** Creates the record of a new session, which is plain data. */
export function newRecord(id, cwd, directories) {
  return {
    id,
    cwd,
    directories,
    title: undefined,
    updatedAt: new Date().toISOString(),
    archived: false,
    options: { mode: "ask", model: "m1", effort: "low", fast: false },
    systemPrompt: undefined,
    /** Permanent decisions by kind of tool. */
    decided: {},
    /** The last numbers of messages, tool calls and compactions: ids are never reused. */
    last: { message: 0, call: 0, compaction: 0 },
    used: undefined,
    cost: 0,
    transcript: [],
  };
}

/** Stores an update for later loads; pieces of one message are joined. */
export function remember(record, update) {
  if (!history.has(update.sessionUpdate)) return;
  const last = record.transcript.at(-1);
  const isPiece =
    last?.sessionUpdate === update.sessionUpdate &&
    last.messageId !== undefined &&
    last.messageId === update.messageId &&
    last.content.type === "text" &&
    update.content.type === "text";
  if (isPiece) last.content.text += update.content.text;
  else record.transcript.push(structuredClone(update));
}

/** All records by session id. Without a folder they exist only in memory. */
export class Store {
  #records = new Map();

  constructor(folder) {
    this.folder = folder;
    if (!folder) return;
    fs.mkdirSync(folder, { recursive: true });
    for (const name of fs.readdirSync(folder)) {
      if (!name.endsWith(".json")) continue;
      const record = JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"));
      this.#records.set(record.id, record);
    }
  }

  get(id) {
    return this.#records.get(id);
  }

  /**
   * The file is replaced atomically, so that a killed process leaves the old or the new contents.
   */
  save(record) {
    this.#records.set(record.id, record);
    if (!this.folder) return;
    const draft = path.join(this.folder, `${record.id}.${process.pid}.draft`);
    fs.writeFileSync(draft, JSON.stringify(record));
    fs.renameSync(draft, path.join(this.folder, `${record.id}.json`));
  }

  delete(id) {
    if (!this.#records.delete(id) || !this.folder) return;
    fs.rmSync(path.join(this.folder, `${id}.json`), { force: true });
  }

  /** Returns the records, the newest first. */
  all() {
    const records = [...this.#records.values()];
    return records.sort((a, b) => (a.updatedAt === b.updatedAt ? (a.id < b.id ? 1 : -1) : a.updatedAt < b.updatedAt ? 1 : -1));
  }
}
