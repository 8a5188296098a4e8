// A client for version 2, written only with the official TypeScript SDK. It performs one task of
// `attache check client`.
//
// usage: node judged-client-v2.mjs TASK [NAME=VALUE]… -- AGENT ARGS…
//
// The names are the placeholders of the task, such as cwd, prompt and session. The client prints
// the agent's text and one line for each other update. It exits with 0 if the task succeeded, with
// 1 otherwise. SIGINT cancels the current turn.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";

const words = process.argv.slice(2);
const end = words.indexOf("--");
const [task, ...pairs] = words.slice(0, end);
const value = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s)));
const [program, ...args] = words.slice(end + 1);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });

const { agent: toAgent, client: toClient } = acp.methods;
const print = (text) => process.stdout.write(`${text}\n`);
const cancelled = { outcome: { outcome: "cancelled" } };

/** The session and its work. */
const session = { id: undefined, options: [], isBusy: false, isPrompted: false, isCancelled: false };
/** Updates that arrived before the id of the session. */
let early = [];
/** Ends the wait for the turn, and settles the questions that wait for the person. */
let turnEnded = () => {};
let open = [];

function receive({ sessionId, update }) {
  if (session.id === undefined) early.push({ sessionId, update });
  if (sessionId !== session.id) return;
  if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
    process.stdout.write(update.content.text);
  } else {
    print(JSON.stringify(update));
  }
  if (update.sessionUpdate === "config_option_update") session.options = update.configOptions;
  if (update.sessionUpdate === "state_update") state(update);
  if (task === "cancel_call") cancelOne(update);
}

/** An unknown state is not idle, and a repeated state changes nothing. */
function state({ state, stopReason }) {
  const wasBusy = session.isBusy;
  session.isBusy = state !== "idle";
  if (!wasBusy || session.isBusy || !session.isPrompted) return;
  session.isPrompted = session.isCancelled = false;
  turnEnded(stopReason);
}

/** Cancels a tool call or a terminal as soon as that is possible. */
function cancelOne({ toolCallId, terminalId, capabilities }) {
  if (!capabilities?.cancel) return;
  const sessionId = session.id;
  const sent = toolCallId
    ? agent.request(toAgent.toolCall.cancel, { sessionId, toolCallId })
    : agent.request(toAgent.terminal.cancel, { sessionId, terminalId });
  sent.catch((error) => print(error.message));
}

function ask({ title, options }, signal) {
  print(`asks: ${title}`);
  if (session.isCancelled) return cancelled;
  if (task === "cancel") return unanswered(cancelled, signal);
  const wanted = task === "allow" ? "allow" : "reject";
  const option = options.find(({ kind }) => kind.startsWith(wanted));
  return option ? { outcome: { outcome: "selected", optionId: option.optionId } } : cancelled;
}

/** Leaves a question open until the turn or the question is cancelled. */
function unanswered(answer, signal) {
  return new Promise((resolve) => {
    open.push(() => resolve(answer));
    signal?.addEventListener("abort", () => resolve(answer));
  });
}

function fill({ mode, message, requestedSchema }, signal) {
  print(`asks: ${message}`);
  const cancel = { action: "cancel" };
  if (session.isCancelled) return cancel;
  if (task === "cancel") return unanswered(cancel, signal);
  if (task === "decline") return { action: "decline" };
  if (task !== "form" || mode !== "form") return cancel;
  const properties = Object.entries(requestedSchema.properties ?? {});
  const content = Object.fromEntries(properties.filter(fits).map(([name, { default: it }]) => [name, it]));
  const isWhole = (requestedSchema.required ?? []).every((name) => name in content);
  return isWhole ? { action: "accept", content } : cancel;
}

/** Whether the default of a property may be sent. Patterns are not evaluated. */
function fits([, property]) {
  const { type, default: it, minimum, maximum, minLength, maxLength, pattern } = property;
  const values = property.enum;
  if (type === "boolean") return typeof it === "boolean";
  if (type === "integer" || type === "number") {
    return typeof it === "number" && !(it < minimum) && !(it > maximum);
  }
  if (type !== "string" || typeof it !== "string" || pattern) return false;
  return !(it.length < minLength) && !(it.length > maxLength) && (values?.includes(it) ?? true);
}

const app = acp
  .client({ name: "official-ts-client-v2" })
  .onNotification(toClient.session.update, ({ params }) => receive(params))
  .onNotification(toClient.elicitation.complete, () => {})
  .onRequest(toClient.session.requestPermission, ({ params, signal }) => ask(params, signal))
  .onRequest(toClient.elicitation.create, ({ params, signal }) => fill(params, signal));
const connection = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const { agent } = connection;
connection.signal.addEventListener("abort", () => {
  print("the agent ended");
  process.exit(1);
});
process.on("SIGINT", () => {
  if (session.id === undefined) process.exit(130);
  session.isCancelled = true;
  agent.notify(toAgent.session.cancel, { sessionId: session.id });
  open.splice(0).forEach((settle) => settle());
});

function needs(what, name) {
  if (!what) throw new Error(`the agent does not offer ${name}`);
}

/** Returns the MCP servers of the task that the agent can reach. */
function servers(offered) {
  if (task !== "mcp") return [];
  const all = Object.entries(JSON.parse(readFileSync(value.mcp, "utf8")).mcpServers);
  const server = ([name, { type = "stdio", command, args, url }]) =>
    type === "http" ? { name, type, url } : { name, type, command, args };
  return all.map(server).filter(({ type }) => offered?.[type]);
}

async function openSession(capabilities) {
  const params = { cwd: value.cwd, mcpServers: servers(capabilities.mcp) };
  if (task === "directories") {
    needs(capabilities.additionalDirectories, "additional directories");
    params.additionalDirectories = [value.directory];
  }
  let opened;
  if (task === "load" || task === "resume") {
    session.id = params.sessionId = value.session;
    if (task === "load") params.replayFrom = { type: "start" };
    opened = await agent.request(toAgent.session.resume, params);
  } else {
    opened = await agent.request(toAgent.session.new, params);
    session.id = opened.sessionId;
  }
  session.options = opened.configOptions ?? [];
  early.splice(0).forEach(receive);
}

async function set(configId, text) {
  const { type } = session.options.find((option) => option.configId === configId);
  const typed = type === "boolean" ? { type, value: text === "true" } : { type: "id", value: text };
  const result = await agent.request(toAgent.session.setConfigOption, { sessionId: session.id, configId, ...typed });
  session.options = result.configOptions;
}

async function prompt(text, capabilities) {
  const blocks = [{ type: "text", text }];
  if (task === "image") {
    needs(capabilities.prompt?.image, "images");
    blocks.push({ type: "image", mimeType: "image/png", data: readFileSync(value.image).toString("base64") });
  }
  const ended = new Promise((resolve) => (turnEnded = resolve));
  session.isPrompted = true;
  await agent.request(toAgent.session.prompt, { sessionId: session.id, prompt: blocks });
  const reason = await ended;
  if (reason !== "end_turn") throw new Error(`the turn ended: ${reason}`);
}

async function list() {
  let cursor;
  do {
    const page = await agent.request(toAgent.session.list, cursor ? { cursor } : {});
    page.sessions.forEach(({ sessionId, title }) => print(`${sessionId} ${title}`));
    cursor = page.nextCursor;
  } while (cursor);
}

async function run() {
  const info = { name: "official-ts-client-v2", version: "1" };
  const asked = { protocolVersion: acp.PROTOCOL_VERSION, info, capabilities: { elicitation: { form: {} } } };
  const initialized = await agent.request(toAgent.initialize, asked);
  if (initialized.protocolVersion !== acp.PROTOCOL_VERSION) throw new Error("the agent chose another version");
  const login = initialized.authMethods?.find(({ type }) => type === "agent");
  if (task === "login") {
    needs(login, "a login");
    return agent.request(toAgent.auth.login, { methodId: login.methodId });
  }
  if (task === "logout") {
    needs(initialized.authMethods?.length, "a logout");
    return agent.request(toAgent.auth.logout, {});
  }
  const capabilities = initialized.capabilities?.session;
  needs(capabilities, "sessions");
  if (task === "list") return list();
  if (task === "delete") {
    needs(capabilities.delete, "deletion");
    return agent.request(toAgent.session.delete, { sessionId: value.session });
  }
  await openSession(capabilities);
  if (value.option) await set(value.option, value.value);
  if (value.option2) await set(value.option2, value.value2);
  await prompt(value.prompt, capabilities);
  if (value.prompt2) await prompt(value.prompt2, capabilities);
  if (task === "close") await agent.request(toAgent.session.close, { sessionId: session.id });
}

const error = await run().then(() => undefined, (error) => error);
if (error) print(error.message);
process.exit(error ? 1 : 0);
