// The client for version 2, written only with the official TypeScript SDK. Its options, its scripts
// and its output are those of client.mjs; client/v2/script.mjs describes what differs.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { AgentProcess } from "./client/agent-process.mjs";
import { serverStream } from "./client/agent-server.mjs";
import { commandLine } from "./client/command-line.mjs";
import { Events } from "./client/events.mjs";
import { Questions } from "./client/v2/questions.mjs";
import { Script } from "./client/v2/script.mjs";
import { State } from "./client/v2/state.mjs";
import { inOrder } from "./in-order.mjs";

const { client: toClient } = acp.methods;
const work = commandLine(process.argv.slice(2));
const events = new Events();
const offers = (name) => !work.without.has(name);

// The SDK drops an update that it cannot decode and reports it only on the console.
const log = console.error;
console.error = (...words) => {
  if (words[0] === "Error handling notification") events.fail("undecoded", words[1]);
  log(...words);
};

const state = new State(events);
const questions = new Questions(events, state, offers);
const app = acp
  .client({ name: "official-ts-client-v2" })
  .onNotification(toClient.session.update, ({ params }) => state.receive(params))
  .onNotification(toClient.elicitation.complete, ({ params }) => events.print("form-completed", params))
  .onNotification(toClient.auth.statusUpdate, ({ params }) => events.print("account", params))
  .onRequest(toClient.session.requestPermission, ({ params, signal }) => questions.ask(params, signal));
// A handler exists only for an offered method; the SDK answers the others with -32601.
if (offers("form") || offers("url")) {
  app.onRequest(toClient.elicitation.create, ({ params, signal }) => questions.elicit(params, signal));
}

const agentProcess = work.url ? undefined : new AgentProcess(work.agent, events);
const stream = agentProcess?.stream ?? serverStream(work.url, process.env.ACP_PEER_TOKEN);
const connection = app.connect(inOrder(stream));
process.on("SIGINT", () => {
  if (!events.seen("interrupt")) process.exit(130);
});
await new Script(connection, work, events, state, questions).run();
connection.close();
await agentProcess?.end();
events.print("closed");
process.exitCode = events.failed ? 1 : 0;
