// A client written only with the official TypeScript SDK. script.mjs describes its script,
// client/command-line.mjs its options.
//
// It starts the agent or connects to it, opens a session unless told otherwise, follows the script
// and prints one JSON object per line for each event. It exits with 0 if every call of the script
// succeeded and every update could be decoded, with 1 otherwise, and with 2 after wrong usage.
// SIGINT cancels the current turn.
import * as acp from "@agentclientprotocol/sdk/unstable";
import { AgentProcess } from "./client/agent-process.mjs";
import { serverStream } from "./client/agent-server.mjs";
import { commandLine } from "./client/command-line.mjs";
import { Events } from "./client/events.mjs";
import { readFile, writeFile } from "./client/files.mjs";
import { provider } from "./client/own-server.mjs";
import { Questions } from "./client/questions.mjs";
import { Script } from "./client/script.mjs";
import { State } from "./client/state.mjs";
import { Terminals } from "./client/terminals.mjs";
import { inOrder } from "./in-order.mjs";

const { client: toClient } = acp.methods;
const work = commandLine(process.argv.slice(2));
const events = new Events();
const offers = (name) => !work.without.has(name);
const marker = (name) => (offers(name) ? {} : undefined);
const clientCapabilities = {
  fs: { readTextFile: offers("fs"), writeTextFile: offers("fs") },
  terminal: offers("terminal"),
  session: { configOptions: { boolean: marker("boolean") }, notices: marker("notices"), compaction: marker("compaction") },
  auth: { terminal: offers("login") },
  elicitation: { form: marker("form"), url: marker("url") },
  plan: marker("plan"),
  subagents: marker("subagents"),
};

// The SDK drops an update that it cannot decode and reports it only on the console.
const log = console.error;
console.error = (...words) => {
  if (words[0] === "Error handling notification") events.fail("undecoded", words[1]);
  log(...words);
};

/** One connection, and the process of the agent unless it is at an address. */
class Connection {
  events = events;
  state = new State(events);
  questions = new Questions(events, this.state, offers);
  terminals = new Terminals(events);
  #sessions = new Set();
  #early = [];

  constructor() {
    if (!work.url) this.process = new AgentProcess(work.agent, events);
    const stream = this.process?.stream ?? serverStream(work.url, process.env.ACP_PEER_TOKEN);
    this.connection = this.#app().connect(inOrder(stream));
    this.agent = this.connection.agent;
  }

  get isClosed() {
    return this.connection.signal.aborted;
  }

  #app() {
    const roots = [work.cwd, ...work.directories];
    const told = (event, act) => ({ params }) => {
      events.print(event, { path: params.path });
      return act(roots, params);
    };
    const app = acp
      .client({ name: "official-ts-client" })
      .onNotification(toClient.session.update, ({ params }) => this.#receive(params))
      .onNotification(toClient.elicitation.complete, ({ params }) => events.print("form-completed", params))
      .onNotification(toClient.auth.statusUpdate, ({ params }) => events.print("account", params))
      .onRequest(toClient.session.requestPermission, ({ params, signal }) => this.questions.ask(params, signal))
      .onRequest(toClient.mcp.message, provider.handleRequest);
    // Handlers exist only for offered methods; the SDK answers others with -32601 (INIT-17).
    if (offers("fs")) {
      app.onRequest(toClient.fs.readTextFile, told("read", readFile)).onRequest(toClient.fs.writeTextFile, told("write", writeFile));
    }
    if (offers("form") || offers("url")) {
      app.onRequest(toClient.elicitation.create, ({ params, signal }) => this.questions.elicit(params, signal));
    }
    if (offers("terminal")) {
      app
        .onRequest(toClient.terminal.create, ({ params }) => this.terminals.create(params, work.cwd))
        .onRequest(toClient.terminal.output, ({ params }) => this.terminals.output(params))
        .onRequest(toClient.terminal.waitForExit, ({ params, signal }) => this.terminals.waitForExit(params, signal))
        .onRequest(toClient.terminal.kill, ({ params }) => this.terminals.kill(params))
        .onRequest(toClient.terminal.release, ({ params }) => this.terminals.release(params));
    }
    return app;
  }

  /** Selects the session to show, and applies its updates that arrived earlier. */
  isOf(sessionId) {
    this.#sessions.add(sessionId);
    for (const params of this.#early.splice(0)) this.#receive(params);
  }

  /**
   * Ignores updates of unknown sessions (SESS-28). A child is known once its parent has announced
   * it.
   */
  #receive(params) {
    const { sessionId, update } = params;
    if (!this.#sessions.size) this.#early.push(params);
    if (!this.#sessions.has(sessionId)) return;
    if (update.sessionUpdate === "subagent_update") this.#sessions.add(update.sessionId);
    events.print("update", { update });
    this.state.apply(update);
    events.seen("update");
  }

  async end() {
    this.terminals.end();
    this.connection.close();
    await this.process?.end();
  }
}

process.on("SIGINT", () => {
  if (!events.seen("interrupt")) process.exit(130);
});
const script = new Script(new Connection(), work, clientCapabilities, () => new Connection());
await script.run();
await script.connection.end();
events.print("closed");
process.exitCode = events.failed ? 1 : 0;
