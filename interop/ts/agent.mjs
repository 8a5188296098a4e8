// An agent on stdio written with the official TypeScript SDK only; its prompts are those of command.mjs.
import * as acp from "@agentclientprotocol/sdk";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { setImmediate as immediate, setTimeout as after } from "node:timers/promises";
import { parseCommands } from "./command.mjs";

const { agent: toAgent, client: toClient } = acp.methods;
const modes = ["ask", "code"];
const models = ["m1", "m2"];
const sessions = new Map();
let clientCapabilities = {};

const sessionOf = (id) => {
  const session = sessions.get(id);
  if (!session) throw acp.RequestError.invalidParams(`no session ${id}`);
  return session;
};

/** `..` stays as it is: what it leads to is the client's to judge. */
const absolute = ({ cwd }, file) => (path.isAbsolute(file) ? file : `${cwd}/${file}`);

function configOptions(session) {
  const select = (id, name, values) => ({
    id,
    name,
    category: id,
    type: "select",
    currentValue: session[id],
    options: values.map((value) => ({ value, name: value })),
  });
  const options = [select("model", "Model", models), select("mode", "Mode", modes)];
  if (session.fast !== undefined) {
    options.push({ id: "fast", name: "Fast", type: "boolean", currentValue: session.fast });
  }
  return options;
}

function set(session, id, value) {
  const known =
    (id === "model" && models.includes(value)) ||
    (id === "mode" && modes.includes(value)) ||
    (id === "fast" && session.fast !== undefined && typeof value === "boolean");
  if (!known) throw acp.RequestError.invalidParams(`option ${id} has no such value`);
  const changed = session[id] !== value;
  session[id] = value;
  return changed;
}

/** One running prompt: each method is a command of command.mjs. */
class Turn {
  constructor(client, session, cancelled) {
    Object.assign(this, { client, session, cancelled });
  }

  async run(commands) {
    for (const [name, ...values] of commands) {
      if (this.cancelled.aborted) break;
      await this[name](...values);
    }
    return { stopReason: this.cancelled.aborted ? "cancelled" : "end_turn" };
  }

  update(update) {
    return this.client.notify(toClient.session.update, { sessionId: this.session.id, update });
  }

  say(text) {
    return this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  think(text) {
    return this.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  async beginToolCall(title) {
    const toolCallId = `call-${(this.session.toolCalls += 1)}`;
    const locations = [{ path: path.join(this.session.cwd, "notes.txt"), line: 1 }];
    await this.update({ sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "pending", locations });
    return toolCallId;
  }

  patch(toolCallId, fields) {
    return this.update({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }

  async tool(title) {
    const id = await this.beginToolCall(title);
    await this.patch(id, { status: "in_progress" });
    const content = [{ type: "content", content: { type: "text", text: `${title}: done` } }];
    await this.patch(id, { status: "completed", content });
  }

  /** A cancelled turn still waits here: the client owes an answer with the outcome `cancelled` (PERM-06). */
  async ask() {
    const toolCallId = await this.beginToolCall("ask");
    const options = [
      ["allow_once", "Allow once"],
      ["allow_always", "Allow always"],
      ["reject_once", "Reject once"],
      ["reject_always", "Reject always"],
    ].map(([kind, name]) => ({ optionId: kind, name, kind }));
    const { outcome } = await this.client.request(toClient.session.requestPermission, {
      sessionId: this.session.id,
      toolCall: { toolCallId, title: "ask" },
      options,
    });
    const answer = outcome.outcome === "selected" ? outcome.optionId : "cancelled";
    await this.patch(toolCallId, { status: answer.startsWith("allow_") ? "completed" : "failed" });
    await this.say(`permission: ${answer}`);
  }

  async read(file) {
    if (!clientCapabilities.fs?.readTextFile) return this.say("read: not offered");
    const request = { sessionId: this.session.id, path: absolute(this.session, file) };
    const reading = this.client.request(toClient.fs.readTextFile, request);
    return this.say(
      await reading.then(
        ({ content }) => `read: ${Buffer.byteLength(content)}`,
        (error) => `read: error ${error.code}`,
      ),
    );
  }

  async write(file, content) {
    if (!clientCapabilities.fs?.writeTextFile) return this.say("write: not offered");
    const request = { sessionId: this.session.id, path: absolute(this.session, file), content };
    const writing = this.client.request(toClient.fs.writeTextFile, request);
    return this.say(
      await writing.then(
        () => "write: done",
        (error) => `write: error ${error.code}`,
      ),
    );
  }

  plan() {
    const entries = [
      { content: "look", priority: "high", status: "completed" },
      { content: "change", priority: "medium", status: "in_progress" },
      { content: "test", priority: "low", status: "pending" },
    ];
    return this.update({ sessionUpdate: "plan", entries });
  }

  usage(used, size) {
    return this.update({ sessionUpdate: "usage_update", used, size, cost: { amount: 0.25, currency: "USD" } });
  }

  title(title) {
    return this.update({ sessionUpdate: "session_info_update", title });
  }

  async flood(count, size) {
    const text = "0123456789abcdef".repeat(Math.ceil(size / 16)).slice(0, size);
    for (let sent = 0; sent < count && !this.cancelled.aborted; sent += 1) {
      await this.say(text);
      // While the client keeps up, sending alone never lets Node read the cancel.
      await immediate();
    }
  }

  sleep(milliseconds) {
    return after(milliseconds, undefined, { signal: this.cancelled }).catch(() => {});
  }

  async wait() {
    if (this.cancelled.aborted) return;
    await new Promise((resolve) => this.cancelled.addEventListener("abort", resolve, { once: true }));
  }

  error() {
    throw acp.RequestError.internalError("the prompt asked for an error");
  }

  exit(code) {
    process.exit(code);
  }

  stderr(text) {
    console.error(text);
  }
}

function open({ cwd }) {
  if (!path.isAbsolute(cwd)) throw acp.RequestError.invalidParams("cwd must be absolute");
  const id = `official-ts-${process.pid}-${sessions.size + 1}`;
  const boolean = clientCapabilities.session?.configOptions?.boolean;
  const session = { id, cwd, mode: "ask", model: "m1", fast: boolean ? false : undefined, toolCalls: 0 };
  sessions.set(id, session);
  const availableModes = modes.map((mode) => ({ id: mode, name: mode }));
  return { sessionId: id, modes: { currentModeId: "ask", availableModes }, configOptions: configOptions(session) };
}

async function prompt({ params, client, signal }) {
  const session = sessionOf(params.sessionId);
  if (session.cancel) throw acp.RequestError.invalidRequest("a turn of this session is running");
  const text = params.prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  let commands;
  try {
    commands = parseCommands(text);
  } catch (error) {
    throw acp.RequestError.invalidParams(error.message);
  }
  session.cancel = new AbortController();
  try {
    const cancelled = AbortSignal.any([session.cancel.signal, signal]);
    return await new Turn(client, session, cancelled).run(commands);
  } finally {
    session.cancel = undefined;
  }
}

const connection = acp
  .agent({ name: "official-ts-agent" })
  .onRequest(toAgent.initialize, ({ params }) => {
    clientCapabilities = params.clientCapabilities ?? {};
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentCapabilities: { loadSession: false },
      agentInfo: { name: "official-ts-agent", title: "Official TypeScript SDK", version: "2.4.0" },
    };
  })
  .onRequest(toAgent.session.new, ({ params }) => open(params))
  .onRequest(toAgent.session.setMode, async ({ params, client }) => {
    const session = sessionOf(params.sessionId);
    if (set(session, "mode", params.modeId)) {
      const notify = (update) => client.notify(toClient.session.update, { sessionId: session.id, update });
      await notify({ sessionUpdate: "current_mode_update", currentModeId: session.mode });
      await notify({ sessionUpdate: "config_option_update", configOptions: configOptions(session) });
    }
    return {};
  })
  .onRequest(toAgent.session.setConfigOption, async ({ params, client }) => {
    const session = sessionOf(params.sessionId);
    const isBoolean = params.type === "boolean";
    if (isBoolean !== (params.configId === "fast")) {
      throw acp.RequestError.invalidParams(`option ${params.configId} has no such value`);
    }
    if (set(session, params.configId, params.value) && params.configId === "mode") {
      const update = { sessionUpdate: "current_mode_update", currentModeId: session.mode };
      await client.notify(toClient.session.update, { sessionId: session.id, update });
    }
    return { configOptions: configOptions(session) };
  })
  .onNotification(toAgent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel?.abort())
  .onRequest(toAgent.session.prompt, prompt)
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

await connection.closed;
process.exit(0);
