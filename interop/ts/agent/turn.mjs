// A running prompt. Its methods with one-word names are the commands of command.mjs.
import * as acp from "@agentclientprotocol/sdk/unstable";
import path from "node:path";
import { setImmediate as immediate, setTimeout as after } from "node:timers/promises";
import { parseCommands } from "../command.mjs";
import { parseActs, performActs } from "./acts.mjs";
import { offers } from "./offers.mjs";
import { ask } from "./permission.mjs";
import { elicit } from "./question.mjs";
import { usageUpdate } from "./sessions.mjs";
import { slashCommand } from "./slash.mjs";
import { remember } from "./store.mjs";
import { callTool, ToolCall } from "./tools.mjs";

const { client: toClient } = acp.methods;

/**
 * The time for a client to answer cancelled requests, in milliseconds; then the turn ends anyway.
 */
const grace = 2000;

/** Thrown to leave a turn because it was cancelled. */
class Cancelled extends Error {}

/** `..` is not resolved: the client must judge the path. */
const absolute = ({ cwd }, file) => (path.isAbsolute(file) ? file : `${cwd}/${file}`);

/** Returns all texts in a value, without the acts in them. */
function texts(value) {
  if (typeof value === "string") return [parseActs(value)?.rest ?? value];
  return value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}

export class Turn {
  #controller = new AbortController();
  #kill;
  #usage;
  #message = {};
  openCalls = new Set();

  constructor(session, client, signal) {
    this.session = session;
    this.client = client;
    this.cancelled = AbortSignal.any([this.#controller.signal, signal]);
  }

  get sessionId() {
    return this.session.id;
  }

  cancel() {
    this.#controller.abort();
  }

  /** Sets the function that ends the child process of this turn, for the end of the program. */
  onKill(kill) {
    this.#kill = kill;
  }

  kill() {
    this.#kill?.();
  }

  throwIfCancelled() {
    if (this.cancelled.aborted) throw new Cancelled();
  }

  failure(why) {
    return acp.RequestError.internalError(undefined, why);
  }

  /**
   * Runs to the end. If the turn was cancelled, it ends as cancelled, whatever failed (CANCEL-02).
   */
  async run(prompt) {
    const { record } = this.session;
    const messageId = this.#newMessageId();
    for (const content of prompt) remember(record, { sessionUpdate: "user_message_chunk", messageId, content });
    let stopReason;
    try {
      stopReason = await this.#perform(prompt);
      this.throwIfCancelled();
    } catch (error) {
      if (!this.cancelled.aborted) throw error;
      stopReason = "cancelled";
    } finally {
      for (const call of this.openCalls) await call.fail();
      this.session.save();
    }
    return { stopReason, ...(this.#usage && { usage: this.#usage }) };
  }

  async #perform(prompt) {
    const text = prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const acts = parseActs(text)?.acts;
    if (acts) return performActs(this, acts);
    const slash = slashCommand(text);
    if (slash) await slash(this);
    else if (text.trim()) await this.#obey(text);
    else await this.say(`${prompt.map(({ type }) => type).join(", ")}: seen`);
    return "end_turn";
  }

  async #obey(text) {
    let commands;
    try {
      commands = parseCommands(text);
    } catch (error) {
      await this.say(error.message);
      return;
    }
    for (const [name, ...values] of commands) {
      this.throwIfCancelled();
      await this[name](...values);
    }
  }

  /**
   * Calls the client. A cancellation is passed on, and the response may take a little longer
   * (CANCEL-19, CANCEL-22).
   */
  async request(method, params) {
    this.throwIfCancelled();
    const answered = this.client.request(method, params, { cancellationSignal: this.cancelled });
    return this.unlessCancelled(answered, grace);
  }

  /** Calls the client even if the turn is cancelled, to clean up. */
  async requestToSettle(method, params) {
    const answered = this.client.request(method, params).catch((error) => console.error(`${method}: ${error.message}`));
    await Promise.race([answered, after(grace, undefined, { ref: false })]);
  }

  /** Waits for a promise, at most this many milliseconds after the turn is cancelled. */
  async unlessCancelled(promise, milliseconds = 0) {
    promise.catch(() => {});
    let late;
    const cancelled = new Promise((_, reject) => {
      late = () => setTimeout(() => reject(new Cancelled()), milliseconds).unref();
      if (this.cancelled.aborted) late();
      else this.cancelled.addEventListener("abort", late, { once: true });
    });
    try {
      return await Promise.race([promise, cancelled]);
    } finally {
      this.cancelled.removeEventListener("abort", late);
      cancelled.catch(() => {});
    }
  }

  update(update, kept) {
    return this.session.update(update, kept);
  }

  callTool(call) {
    return callTool(this, call);
  }

  #newMessageId() {
    return `message-${(this.session.record.last.message += 1)}`;
  }

  /** The next text starts a new message. */
  endMessage() {
    this.#message = {};
  }

  /** Sends one piece of a message; another kind of message gets another id (MSG-02). */
  #chunk(sessionUpdate, text) {
    if (this.#message.kind !== sessionUpdate) this.#message = { kind: sessionUpdate, id: this.#newMessageId() };
    return this.update({ sessionUpdate, messageId: this.#message.id, content: { type: "text", text } });
  }

  say(text) {
    return this.#chunk("agent_message_chunk", text);
  }

  think(text) {
    return this.#chunk("agent_thought_chunk", text);
  }

  /** Returns whether a text is in the session's conversation, outside of acts. */
  recalls(text) {
    const { transcript, systemPrompt } = this.session.record;
    return texts([transcript, systemPrompt]).some((known) => known.includes(text));
  }

  /**
   * Counts the tokens of one response of the model; `input` includes cached tokens, as providers
   * count them.
   */
  async used({ input = 0, output = 0, cached = 0, reasoning = 0 }) {
    const { record } = this.session;
    const sum = this.#usage ?? { totalTokens: 0, inputTokens: 0, outputTokens: 0, thoughtTokens: 0, cachedReadTokens: 0 };
    this.#usage = {
      totalTokens: sum.totalTokens + input + output,
      inputTokens: sum.inputTokens + input - cached,
      outputTokens: sum.outputTokens + output,
      thoughtTokens: sum.thoughtTokens + reasoning,
      cachedReadTokens: sum.cachedReadTokens + cached,
    };
    record.used = input + output;
    record.cost += (input + output) / 1_000_000;
    await this.update(usageUpdate(record.used, record.cost));
  }

  async tool(title) {
    const locations = [{ path: path.join(this.session.record.cwd, "notes.txt"), line: 1 }];
    const call = await ToolCall.begin(this, { title, kind: "other", locations });
    await call.start();
    await call.complete({ content: [{ type: "content", content: { type: "text", text: `${title}: done` } }] });
    this.endMessage();
  }

  /** Version 1 cannot cancel one tool call, so only the end of the turn ends this one. */
  async cancellable(title) {
    const call = await ToolCall.begin(this, { title, kind: "execute" });
    await call.start();
    await this.wait();
  }

  async ask() {
    const call = await ToolCall.begin(this, { title: "ask", kind: "other" });
    const answer = await ask(this, call.shown);
    this.throwIfCancelled();
    if (answer.startsWith("allow_")) {
      await call.start();
      await call.complete();
    } else await call.fail();
    await this.say(`permission: ${answer}`);
  }

  async question(words) {
    await this.say(await elicit(this, words));
  }

  async read(file) {
    if (!this.#offers(toClient.fs.readTextFile)) return this.say("read: not offered");
    const request = { sessionId: this.sessionId, path: absolute(this.session.record, file) };
    return this.#tell("read", this.request(toClient.fs.readTextFile, request), ({ content }) => Buffer.byteLength(content));
  }

  async write(file, content) {
    if (!this.#offers(toClient.fs.writeTextFile)) return this.say("write: not offered");
    const request = { sessionId: this.sessionId, path: absolute(this.session.record, file), content };
    return this.#tell("write", this.request(toClient.fs.writeTextFile, request), () => "done");
  }

  #offers(what) {
    return offers(this.session.sessions.clientCapabilities, what);
  }

  async #tell(name, answered, done) {
    let told;
    try {
      told = done(await answered);
    } catch (error) {
      this.throwIfCancelled();
      told = `error ${error.code}`;
    }
    await this.say(`${name}: ${told}`);
  }

  plan() {
    const entries = [
      { content: "look", priority: "high", status: "completed" },
      { content: "change", priority: "medium", status: "in_progress" },
      { content: "test", priority: "low", status: "pending" },
    ];
    return this.update({ sessionUpdate: "plan", entries });
  }

  /** Shows another plan with an id, if the client supports it (PLANU-01). */
  plans() {
    const entries = [{ content: "look", priority: "high", status: "pending" }];
    if (!this.#offers("plan_update")) return this.update({ sessionUpdate: "plan", entries });
    return this.update({ sessionUpdate: "plan_update", plan: { type: "items", planId: "first", entries } });
  }

  /** Starts a child session that says one thing and ends. */
  async subagent(title) {
    if (!this.#offers("subagent_update")) return this.say(`subagent: ${title}`);
    const sessionId = `${this.sessionId}-${this.#newMessageId()}`;
    const child = { sessionUpdate: "subagent_update", sessionId };
    await this.update({ ...child, title, state: { state: "running" } });
    const content = { type: "text", text: `${title}: done` };
    await this.client.notify(toClient.session.update, { sessionId, update: { sessionUpdate: "agent_message_chunk", content } });
    return this.update({ ...child, state: { state: "idle", stopReason: "end_turn" } });
  }

  notice(severity, title) {
    return this.#offers("notice") ? this.update({ sessionUpdate: "notice", severity, title }) : this.say(title);
  }

  async compact() {
    if (!this.#offers("compaction_update")) return this.say("compacted");
    const compactionId = `compaction-${(this.session.record.last.compaction += 1)}`;
    const summary = { type: "text", text: "A summary of the earlier conversation." };
    await this.update({ sessionUpdate: "compaction_update", compactionId, status: "in_progress" });
    await this.update({ sessionUpdate: "compaction_summary_chunk", compactionId, content: summary });
    return this.update({ sessionUpdate: "compaction_update", compactionId, status: "completed" });
  }

  usage(used, size) {
    return this.update({ sessionUpdate: "usage_update", used, size, cost: { amount: 0.25, currency: "USD" } });
  }

  title(title) {
    this.session.record.title = title;
    return this.update({ sessionUpdate: "session_info_update", title });
  }

  async flood(count, size) {
    const text = "0123456789abcdef".repeat(Math.ceil(size / 16)).slice(0, size);
    for (let sent = 0; sent < count; sent += 1) {
      this.throwIfCancelled();
      await this.say(text);
      await this.breathe();
    }
  }

  /** Yields, so that Node can read a cancellation: sending alone yields only to a slow client. */
  breathe() {
    this.throwIfCancelled();
    return immediate();
  }

  sleep(milliseconds) {
    return after(milliseconds, undefined, { signal: this.cancelled }).catch(() => {});
  }

  async wait() {
    if (!this.cancelled.aborted) {
      await new Promise((resolve) => this.cancelled.addEventListener("abort", resolve, { once: true }));
    }
  }

  error() {
    throw this.failure("the prompt asked for an error");
  }

  exit(code) {
    process.exit(code);
  }

  stderr(text) {
    console.error(text);
  }
}
