// A running prompt of version 2. Its methods with one-word names are the commands of command.mjs.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import fs from "node:fs";
import path from "node:path";
import { setImmediate as immediate, setTimeout as after } from "node:timers/promises";
import { parseCommands } from "../../command.mjs";
import { parseActs, performActs } from "../acts.mjs";
import { diff } from "./diff.mjs";
import { callTool } from "./tools.mjs";

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

export class Turn {
  #controller = new AbortController();
  #message = undefined;
  #usage = undefined;
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
      idle = { stopReason: await this.#perform(prompt) };
    } catch (error) {
      idle = { stopReason: "error", error: { code: -32603, message: error.message } };
    }
    if (this.cancelled.aborted) idle = { stopReason: "cancelled" };
    for (const [id, { status }] of this.calls) if (!finals.has(status)) await this.change(id, { status: "cancelled" });
    await this.endMessage();
    return { ...idle, ...(this.#usage && { usage: this.#usage }) };
  }

  /** Returns the stop reason. */
  async #perform(prompt) {
    const words = prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const acts = parseActs(words)?.acts;
    if (acts) return performActs(this, acts);
    if (words.trim()) await this.#obey(words);
    else await this.say(`${prompt.map(({ type }) => type).join(", ")}: seen`);
    return "end_turn";
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

  /** Announces a tool call; `cancel` stops it if it offers to be cancelled. */
  async begin(fields, cancel) {
    await this.endMessage();
    const toolCallId = `call-${(this.session.record.last.call += 1)}`;
    this.calls.set(toolCallId, { cancel });
    await this.change(toolCallId, { status: "pending", ...fields });
    return toolCallId;
  }

  async change(toolCallId, fields) {
    Object.assign(this.calls.get(toolCallId), fields);
    // A call that has ended cannot be cancelled.
    const isOver = finals.has(fields.status) && this.calls.get(toolCallId).capabilities;
    if (isOver) this.calls.get(toolCallId).cancel = undefined;
    await this.session.update({ sessionUpdate: "tool_call_update", toolCallId, ...fields, ...(isOver && { capabilities: null }) });
  }

  async tool(title) {
    const locations = [{ path: path.join(this.session.record.cwd, "notes.txt"), line: 1 }];
    const id = await this.begin({ title, kind: "other", locations });
    await this.change(id, { status: "in_progress" });
    await this.change(id, { status: "completed", content: [{ type: "content", content: text(`${title}: done`) }] });
  }

  async cancellable(title) {
    const stop = new AbortController();
    const id = await this.begin({ title, kind: "execute", capabilities: { cancel: {} } }, () => stop.abort());
    await this.change(id, { status: "in_progress" });
    await this.aborted(AbortSignal.any([stop.signal, this.cancelled]));
    this.throwIfCancelled();
    await this.change(id, { status: "cancelled" });
    await this.say(`${title}: cancelled`);
  }

  async ask() {
    const id = await this.begin({ title: "ask", kind: "other" });
    const answer = await this.permission("May it run?", id, { title: "ask", kind: "other" });
    await this.change(id, { status: answer.startsWith("allow_") ? "completed" : "failed" });
    await this.say(`permission: ${answer}`);
  }

  /** Returns the chosen option, or `cancelled` for one that was not offered. */
  async permission(title, toolCallId, fields, stop) {
    const subject = { type: "tool_call", toolCall: { toolCallId, ...fields } };
    const params = { sessionId: this.sessionId, title, subject, options: permissionOptions };
    const answer = await this.request(toClient.session.requestPermission, params, stop).catch((error) => {
      this.throwIfCancelled();
      console.error(`a permission request failed: ${error.message}`);
    });
    const outcome = answer?.outcome;
    const isOffered = outcome?.outcome === "selected" && permissionOptions.some(({ optionId }) => optionId === outcome.optionId);
    return isOffered ? outcome.optionId : "cancelled";
  }

  /** Returns whether a tool of this kind may run: by earlier decisions, the mode, or the answer. */
  async allows(toolCallId, { kind, title, ...fields }, stop) {
    const { options, decided } = this.session.record;
    if (decided[kind] || options.mode === "code") return decided[kind] !== "reject";
    const answer = await this.permission(`${title}?`, toolCallId, { kind, title, ...fields }, stop);
    if (answer.endsWith("_always")) decided[kind] = answer.split("_")[0];
    return answer.startsWith("allow");
  }

  /** Asks the person through the client. `stop`, or the end of the turn, withdraws the question. */
  async request(method, params, stop) {
    const { session } = this;
    this.throwIfCancelled();
    await session.state("requires_action");
    const withdrawn = stop ? AbortSignal.any([stop, this.cancelled]) : this.cancelled;
    const answered = session.client.request(method, params, { cancellationSignal: withdrawn });
    const settled = answered.then((answer) => ({ answer }), (error) => ({ error }));
    const { answer, error } = (await Promise.race([settled, this.aborted(withdrawn)])) ?? {};
    this.throwIfCancelled();
    await session.state("running");
    if (error) throw error;
    return answer;
  }

  /** Returns whether a text is in the session's conversation, outside of acts. */
  recalls(words) {
    const texts = (value) => {
      if (typeof value === "string") return [parseActs(value)?.rest ?? value];
      return value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
    };
    return texts(this.session.record.transcript).some((known) => known.includes(words));
  }

  /** Counts the tokens of one response of the model; `input` includes cached tokens. */
  used({ input = 0, output = 0, cached = 0, reasoning = 0 }) {
    const sum = this.#usage ?? { totalTokens: 0, inputTokens: 0, outputTokens: 0, thoughtTokens: 0, cachedReadTokens: 0 };
    this.#usage = {
      totalTokens: sum.totalTokens + input + output,
      inputTokens: sum.inputTokens + input - cached,
      outputTokens: sum.outputTokens + output,
      thoughtTokens: sum.thoughtTokens + reasoning,
      cachedReadTokens: sum.cachedReadTokens + cached,
    };
    return this.session.notify({ sessionUpdate: "usage_update", used: input + output, size: 200_000 });
  }

  callTool(call) {
    return callTool(this, call);
  }

  get client() {
    return this.session.client;
  }

  get sessionId() {
    return this.session.record.id;
  }

  failure(why) {
    return acp.RequestError.internalError(undefined, why);
  }

  breathe() {
    this.throwIfCancelled();
    return immediate();
  }

  /** Waits until a signal is aborted. */
  async aborted(signal) {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }

  /** Returns the path inside the session's folder; throws if it is outside. */
  inside(file) {
    const { cwd } = this.session.record;
    const full = path.resolve(cwd, file);
    if (!full.startsWith(`${cwd}/`)) throw new Error(`${full} is outside of the folder`);
    return full;
  }

  async read(file) {
    const full = path.resolve(this.session.record.cwd, file);
    const id = await this.begin({ title: `Read ${file}`, kind: "read", locations: [{ path: full }] });
    try {
      const content = fs.readFileSync(this.inside(file), "utf8");
      await this.change(id, { status: "completed", content: [{ type: "content", content: text(content) }] });
      await this.say(`read: ${Buffer.byteLength(content)}`);
    } catch (error) {
      await this.change(id, { status: "failed" });
      await this.say(`read: ${error.code ?? "refused"}`);
    }
  }

  async write(file, words) {
    const full = path.resolve(this.session.record.cwd, file);
    const before = fs.existsSync(full) ? fs.readFileSync(full, "utf8") : undefined;
    const shown = { title: `Write ${file}`, kind: "edit", locations: [{ path: full }], content: [diff(full, before, words)] };
    const id = await this.begin(shown);
    const mayWrite = await this.allows(id, shown);
    try {
      if (!mayWrite) throw new Error("rejected");
      fs.writeFileSync(this.inside(file), words);
      await this.change(id, { status: "completed" });
      await this.say("write: done");
    } catch (error) {
      await this.change(id, { status: "failed" });
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
    return this.aborted(this.cancelled);
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
