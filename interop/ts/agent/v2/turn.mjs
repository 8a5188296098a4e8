// A running prompt of version 2. Its methods with one-word names are the commands of command.mjs.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import fs from "node:fs";
import path from "node:path";
import { setImmediate as immediate, setTimeout as after } from "node:timers/promises";
import { parseCommands } from "../../command.mjs";

const { client: toClient } = acp.methods;
const text = (words) => ({ type: "text", text: words });
const finals = new Set(["completed", "failed", "cancelled"]);
const permissionOptions = [
  ["allow_once", "Allow once"],
  ["allow_always", "Allow always"],
  ["reject_once", "Reject once"],
  ["reject_always", "Reject always"],
].map(([kind, name]) => ({ optionId: kind, name, kind }));

/** Thrown to leave a turn because it was cancelled. */
class Cancelled extends Error {}

/** Returns a diff of version 2 that replaces all lines of a file. */
function diff(file, before, now) {
  const lines = (content) => (content ? content.replace(/\n$/, "").split("\n") : []);
  const [old, fresh] = [lines(before), lines(now)];
  const range = ({ length }) => (length ? `1,${length}` : "0,0");
  const isNew = before === undefined;
  const head = isNew ? ["new file mode 100644", "--- /dev/null"] : [`--- ${file}`];
  const marked = (prefix, all, whole) =>
    all.map((line) => prefix + line).concat(whole && !whole.endsWith("\n") ? ["\\ No newline at end of file"] : []);
  const body = [`@@ -${range(old)} +${range(fresh)} @@`, ...marked("-", old, before), ...marked("+", fresh, now)];
  const patch = [`diff --git ${file} ${file}`, ...head, `+++ ${file}`, ...body, ""].join("\n");
  return { type: "diff", changes: [{ operation: isNew ? "add" : "modify", path: file }], patch: { format: "git_patch", text: patch } };
}

export class Turn {
  #controller = new AbortController();
  #message = undefined;
  calls = new Map();
  ended = undefined;

  constructor(session) {
    this.session = session;
    this.cancelled = this.#controller.signal;
  }

  cancel() {
    this.#controller.abort();
  }

  throwIfCancelled() {
    if (this.cancelled.aborted) throw new Cancelled();
  }

  newMessageId() {
    return `message-${(this.session.record.last.message += 1)}`;
  }

  /** Runs to the end, and returns the members of the idle state. */
  async run(prompt) {
    let idle;
    try {
      const words = prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      if (words.trim()) await this.#obey(words);
      else await this.say(`${prompt.map(({ type }) => type).join(", ")}: seen`);
      idle = { stopReason: "end_turn" };
    } catch (error) {
      idle = { stopReason: "error", error: { code: -32603, message: error.message } };
    }
    if (this.cancelled.aborted) idle = { stopReason: "cancelled" };
    for (const [id, { status }] of this.calls) if (!finals.has(status)) await this.#call(id, { status: "cancelled" });
    await this.endMessage();
    return idle;
  }

  async #obey(words) {
    let commands;
    try {
      commands = parseCommands(words);
    } catch (error) {
      await this.say(error.message);
      return;
    }
    for (const [name, ...values] of commands) {
      this.throwIfCancelled();
      await this[name](...values);
    }
  }

  /** Sends one piece of a message; another kind of message gets another id. */
  async #chunk(kind, words) {
    if (this.#message?.kind !== kind) {
      await this.endMessage();
      this.#message = { kind, messageId: this.newMessageId(), words: "" };
    }
    this.#message.words += words;
    const { messageId } = this.#message;
    await this.session.notify({ sessionUpdate: `${kind}_chunk`, messageId, content: text(words) });
  }

  /** Sends the complete message, which a replay sends again. */
  async endMessage() {
    if (!this.#message) return;
    const { kind, messageId, words } = this.#message;
    this.#message = undefined;
    await this.session.update({ sessionUpdate: kind, messageId, content: [text(words)] });
  }

  say(words) {
    return this.#chunk("agent_message", words);
  }

  think(words) {
    return this.#chunk("agent_thought", words);
  }

  async #begin(fields, cancel) {
    await this.endMessage();
    const toolCallId = `call-${(this.session.record.last.call += 1)}`;
    this.calls.set(toolCallId, { cancel });
    await this.#call(toolCallId, { status: "pending", ...fields });
    return toolCallId;
  }

  async #call(toolCallId, fields) {
    Object.assign(this.calls.get(toolCallId), fields);
    // A call that has ended cannot be cancelled.
    const isOver = finals.has(fields.status) && this.calls.get(toolCallId).capabilities;
    if (isOver) this.calls.get(toolCallId).cancel = undefined;
    await this.session.update({ sessionUpdate: "tool_call_update", toolCallId, ...fields, ...(isOver && { capabilities: null }) });
  }

  async tool(title) {
    const locations = [{ path: path.join(this.session.record.cwd, "notes.txt"), line: 1 }];
    const id = await this.#begin({ title, kind: "other", locations });
    await this.#call(id, { status: "in_progress" });
    await this.#call(id, { status: "completed", content: [{ type: "content", content: text(`${title}: done`) }] });
  }

  async cancellable(title) {
    const stop = new AbortController();
    const id = await this.#begin({ title, kind: "execute", capabilities: { cancel: {} } }, () => stop.abort());
    await this.#call(id, { status: "in_progress" });
    await this.#aborted(AbortSignal.any([stop.signal, this.cancelled]));
    this.throwIfCancelled();
    await this.#call(id, { status: "cancelled" });
    await this.say(`${title}: cancelled`);
  }

  async ask() {
    const id = await this.#begin({ title: "ask", kind: "other" });
    const answer = await this.#ask("May it run?", id, { title: "ask", kind: "other" });
    await this.#call(id, { status: answer.startsWith("allow_") ? "completed" : "failed" });
    await this.say(`permission: ${answer}`);
  }

  /** Returns the chosen option, or `cancelled` for one that was not offered. */
  async #ask(title, toolCallId, fields) {
    const { session } = this;
    const subject = { type: "tool_call", toolCall: { toolCallId, ...fields } };
    const params = { sessionId: session.record.id, title, subject, options: permissionOptions };
    await session.state("requires_action");
    const answered = session.client.request(toClient.session.requestPermission, params, { cancellationSignal: this.cancelled });
    const answer = await Promise.race([answered.catch(() => undefined), this.#aborted(this.cancelled)]);
    this.throwIfCancelled();
    await session.state("running");
    const outcome = answer?.outcome;
    const isOffered = outcome?.outcome === "selected" && permissionOptions.some(({ optionId }) => optionId === outcome.optionId);
    return isOffered ? outcome.optionId : "cancelled";
  }

  /** Waits until a signal is aborted. */
  async #aborted(signal) {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }

  /** Returns the path inside the session's folder; throws if it is outside. */
  #inside(file) {
    const { cwd } = this.session.record;
    const full = path.resolve(cwd, file);
    if (!full.startsWith(`${cwd}/`)) throw new Error(`${full} is outside of the folder`);
    return full;
  }

  async read(file) {
    const full = path.resolve(this.session.record.cwd, file);
    const id = await this.#begin({ title: `Read ${file}`, kind: "read", locations: [{ path: full }] });
    try {
      const content = fs.readFileSync(this.#inside(file), "utf8");
      await this.#call(id, { status: "completed", content: [{ type: "content", content: text(content) }] });
      await this.say(`read: ${Buffer.byteLength(content)}`);
    } catch (error) {
      await this.#call(id, { status: "failed" });
      await this.say(`read: ${error.code ?? "refused"}`);
    }
  }

  async write(file, words) {
    const full = path.resolve(this.session.record.cwd, file);
    const before = fs.existsSync(full) ? fs.readFileSync(full, "utf8") : undefined;
    const shown = { title: `Write ${file}`, kind: "edit", locations: [{ path: full }], content: [diff(full, before, words)] };
    const id = await this.#begin(shown);
    const mayWrite = this.session.record.options.mode === "code" || (await this.#ask(`Write ${file}?`, id, shown)).startsWith("allow_");
    try {
      if (!mayWrite) throw new Error("rejected");
      fs.writeFileSync(this.#inside(file), words);
      await this.#call(id, { status: "completed" });
      await this.say("write: done");
    } catch (error) {
      await this.#call(id, { status: "failed" });
      await this.say(`write: ${error.message}`);
    }
  }

  plan() {
    const entries = [
      { content: "look", priority: "high", status: "completed" },
      { content: "change", priority: "medium", status: "in_progress" },
      { content: "test", priority: "low", status: "pending" },
    ];
    return this.session.update({ sessionUpdate: "plan_update", plan: { type: "items", planId: "first", entries } });
  }

  plans() {
    return this.plan();
  }

  question(words) {
    return this.say(`No form can be shown here: ${words}`);
  }

  subagent(title) {
    return this.say(`subagent: ${title}`);
  }

  notice(severity, title) {
    return this.session.notify({ sessionUpdate: "notice", severity, title });
  }

  async compact() {
    const compactionId = `compaction-${(this.session.record.last.compaction += 1)}`;
    await this.session.update({ sessionUpdate: "compaction_update", compactionId, status: "in_progress" });
    const summary = [text("A summary of the earlier conversation.")];
    await this.session.update({ sessionUpdate: "compaction_update", compactionId, status: "completed", summary });
  }

  usage(used, size) {
    return this.session.notify({ sessionUpdate: "usage_update", used, size, cost: { amount: 0.25, currency: "USD" } });
  }

  title(title) {
    this.session.record.title = title;
    return this.session.notify({ sessionUpdate: "session_info_update", title });
  }

  async flood(count, size) {
    const words = "0123456789abcdef".repeat(Math.ceil(size / 16)).slice(0, size);
    for (let sent = 0; sent < count; sent += 1) {
      this.throwIfCancelled();
      await this.say(words);
      await immediate();
    }
  }

  sleep(milliseconds) {
    return after(milliseconds, undefined, { signal: this.cancelled }).catch(() => {});
  }

  wait() {
    return this.#aborted(this.cancelled);
  }

  error() {
    throw new Error("the prompt asked for an error");
  }

  exit(code) {
    process.exit(code);
  }

  stderr(words) {
    console.error(words);
  }
}
