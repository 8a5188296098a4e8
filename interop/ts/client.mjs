// A client written with the official TypeScript SDK only; its script is that of script.mjs.
//
// node client.mjs [--script FILE] [--cwd DIR] [--load ID | --resume ID | --fork ID] -- COMMAND ARGS…
// Starts the agent, opens one session in DIR, a new one or the one named, and prints one JSON object a line for
// everything that happens. Ends with 0 when every call of the script was answered without an error and every update
// could be decoded, with 1 when not, with 2 on wrong usage.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import { parseSteps } from "./script.mjs";

function usage(message) {
  console.error(message);
  process.exit(2);
}

function commandLine() {
  const line = process.argv.slice(2);
  const work = { cwd: ".", script: 0, opening: "new", sessionId: undefined, agent: [] };
  for (let word = line.shift(); word !== undefined; word = line.shift()) {
    if (word === "--script") work.script = line.shift();
    else if (word === "--cwd") work.cwd = line.shift();
    else if (/^--(load|resume|fork)$/.test(word)) [work.opening, work.sessionId] = [word.slice(2), line.shift()];
    else if (word === "--") work.agent = line.splice(0);
    else usage(`${word}: unknown option`);
  }
  if (!work.agent.length) {
    usage("usage: client.mjs [--script FILE] [--cwd DIR] [--load ID | --resume ID | --fork ID] -- COMMAND ARGS…");
  }
  try {
    const steps = parseSteps(fs.readFileSync(work.script, "utf8"));
    return { ...work, cwd: fs.realpathSync(work.cwd), steps };
  } catch (error) {
    return usage(error.message);
  }
}

const work = commandLine();
// A fork is not in the stable protocol.
const acp = await import(`@agentclientprotocol/sdk${work.opening === "fork" ? "/unstable" : ""}`);
const { agent: toAgent, client: toClient } = acp.methods;
let failed = false;
let cancelNow = () => {};
let cancelWhen = "";
let permission = "reject_once";
const waiting = [];

const print = (event, body = {}) => process.stdout.write(`${JSON.stringify({ event, ...body })}\n`);

function fail(event, body) {
  failed = true;
  print(event, body);
}

/** A waiting cancel goes out once what it waits for was seen. */
function seen(what) {
  if (cancelWhen === what) cancelNow();
}

// The SDK drops an update that it cannot decode and tells only the console.
const log = console.error;
console.error = (...words) => {
  if (words[0] === "Error handling notification") fail("undecoded", words[1]);
  log(...words);
};

function ask(request) {
  const option = request.options.find(({ kind }) => kind === permission);
  const outcome = option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" };
  const left = permission === "wait";
  const { toolCall, options } = request;
  print("permission", { toolCall, options, outcome: left ? null : outcome });
  if (!left) {
    seen("permission");
    return { outcome };
  }
  return new Promise((resolve) => {
    waiting.push(() => resolve({ outcome: { outcome: "cancelled" } }));
    seen("permission");
  });
}

/**
 * Where a path really leads, refused outside the session's folder. A file that does not exist yet is where its
 * folder is; a link that leads nowhere is refused.
 */
function inside(file) {
  const isNew = !fs.lstatSync(file, { throwIfNoEntry: false });
  const real = isNew ? path.join(fs.realpathSync(path.dirname(file)), path.basename(file)) : fs.realpathSync(file);
  if (path.isAbsolute(file) && `${real}/`.startsWith(`${work.cwd}/`)) return real;
  throw acp.RequestError.invalidParams(`${file} is not an absolute path inside the session's folder`);
}

function onFile(event, params, act) {
  print(event, { path: params.path });
  try {
    return act(inside(params.path));
  } catch (error) {
    if (error instanceof acp.RequestError) throw error;
    throw new acp.RequestError(error.code === "ENOENT" ? -32002 : -32603, error.message);
  }
}

function read(params) {
  return onFile("read", params, (file) => {
    const lines = fs.readFileSync(file, "utf8").split(/(?<=\n)/);
    const first = Math.max((params.line ?? 1) - 1, 0);
    return { content: lines.slice(first, first + (params.limit ?? lines.length)).join("") };
  });
}

/** Runs the script; every error is an event. */
class Script {
  constructor(agent) {
    this.agent = agent;
  }

  async call(event, method, params) {
    try {
      const response = await this.agent.request(method, params);
      print(event, response);
      return response;
    } catch (error) {
      const { message, data = null } = error;
      const code = error instanceof acp.RequestError ? error.code : -32603;
      fail("error", { method, code, message, data });
      return undefined;
    }
  }

  async open() {
    const initialized = await this.call("initialized", toAgent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: false,
        session: { configOptions: { boolean: {} } },
      },
      clientInfo: { name: "official-ts-client", version: "2.4.0" },
    });
    if (!initialized) return false;
    const opening = { sessionId: work.sessionId, cwd: work.cwd, mcpServers: [] };
    const opened = await this.call("session", toAgent.session[work.opening], opening);
    this.sessionId = opened?.sessionId ?? work.sessionId;
    return Boolean(opened);
  }

  prompt(text) {
    const { sessionId } = this;
    return this.call("stop", toAgent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  async "prompt-cancel"(when, text) {
    const ended = new AbortController();
    const due = new Promise((resolve) => {
      cancelNow = resolve;
      cancelWhen = when;
    });
    if (/^\d+$/.test(when)) after(Number(when), undefined, { signal: ended.signal }).then(cancelNow, () => {});
    const prompt = this.prompt(text).finally(() => ended.abort());
    if ((await Promise.race([prompt.then(() => "ended"), due])) === "ended") return;
    cancelWhen = "";
    await this.agent.notify(toAgent.session.cancel, { sessionId: this.sessionId });
    print("cancel");
    for (const answer of waiting.splice(0)) answer();
    await prompt;
  }

  mode(modeId) {
    return this.call("mode", toAgent.session.setMode, { sessionId: this.sessionId, modeId });
  }

  config(configId, value) {
    return this.call("config", toAgent.session.setConfigOption, { sessionId: this.sessionId, configId, value });
  }

  bool(configId, value) {
    const { sessionId } = this;
    return this.call("config", toAgent.session.setConfigOption, { sessionId, configId, type: "boolean", value });
  }

  permission(kind) {
    permission = kind;
  }
}

const child = spawn(work.agent[0], work.agent.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((resolve) => {
  child.once("exit", resolve);
  child.once("error", (error) => {
    fail("error", { method: "connection", code: -32603, message: error.message, data: null });
    resolve();
  });
});
// A write to an agent that is gone fails here; the calls it fails are the events.
child.stdin.on("error", () => {});
const connection = acp
  .client({ name: "official-ts-client" })
  .onNotification(toClient.session.update, ({ params }) => {
    print("update", { update: params.update });
    seen("update");
  })
  .onRequest(toClient.session.requestPermission, ({ params }) => ask(params))
  .onRequest(toClient.fs.readTextFile, ({ params }) => read(params))
  .onRequest(toClient.fs.writeTextFile, ({ params }) =>
    onFile("write", params, (file) => {
      fs.writeFileSync(file, params.content);
      return {};
    }),
  )
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));

const script = new Script(connection.agent);
if (await script.open()) {
  for (const [name, ...values] of work.steps) {
    if (connection.signal.aborted) break;
    await script[name](...values);
  }
}
connection.close();
child.stdin.end();
await Promise.race([exited, after(2000, undefined, { ref: false }).then(() => child.kill("SIGKILL"))]);
print("closed");
process.exitCode = failed ? 1 : 0;
