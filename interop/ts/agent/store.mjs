// What a session is made of and what of it outlives the process: one JSON file per session in a folder, or nothing.
import fs from "node:fs";
import path from "node:path";

/** Updates that are history: they come again when a session is loaded. A notice is not (NOTE-03). */
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

/** The record of a new session: all of it is plain data. */
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
    /** What was allowed or rejected always, by kind of tool. */
    decided: {},
    /** Numbers of the last message, tool call and compaction: ids are never used twice. */
    last: { message: 0, call: 0, compaction: 0 },
    used: undefined,
    cost: 0,
    transcript: [],
  };
}

/** Keeps an update for later loads; pieces of one message become one. */
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

/** All records, by session id. Without a folder they live as long as the process. */
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

  /** The file is replaced at once, so that a process that is killed leaves the old one or the new one. */
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

  /** The newest first. */
  all() {
    const records = [...this.#records.values()];
    return records.sort((a, b) => (a.updatedAt === b.updatedAt ? (a.id < b.id ? 1 : -1) : a.updatedAt < b.updatedAt ? 1 : -1));
  }
}
