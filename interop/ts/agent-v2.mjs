// The agent for version 2 on stdio, written only with the official TypeScript SDK. Like agent.mjs
// it obeys the commands of command.mjs. Files are read and written by the agent itself, because
// version 2 has no methods for them.
//
// node agent-v2.mjs [--sessions DIR]
//
// Sessions are stored in DIR, otherwise in the folder ACP_PEER_SESSIONS, otherwise only in memory.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { Readable, Writable } from "node:stream";
import { Account } from "./agent/account.mjs";
import { Store } from "./agent/store.mjs";
import { Sessions } from "./agent/v2/sessions.mjs";
import { inOrder } from "./in-order.mjs";

const { agent: toAgent } = acp.methods;
const words = process.argv.slice(2);
const folder = words[0] === "--sessions" ? words[1] : process.env.ACP_PEER_SESSIONS;
const account = new Account();
const sessions = new Sessions(new Store(folder), account);

function initialize({ capabilities }) {
  sessions.clientCapabilities = capabilities ?? {};
  return {
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "official-ts-agent-v2", title: "Official TypeScript SDK, version 2", version: "2.4.0" },
    capabilities: {
      session: { prompt: { image: {}, embeddedContext: {} }, additionalDirectories: {}, delete: {}, fork: {}, status: {}, title: {} },
      auth: { status: {} },
      // Acts in prompts are an extension (EXT-04).
      _meta: { "attache/acts": {} },
    },
    authMethods: [{ type: "agent", methodId: "login", name: "Log in" }],
  };
}

const { session } = toAgent;
const connection = acp
  .agent({ name: "official-ts-agent-v2" })
  .onRequest(toAgent.initialize, ({ params }) => initialize(params))
  .onRequest(toAgent.auth.login, ({ params, client }) => account.authenticate(params, client))
  .onRequest(toAgent.auth.logout, ({ client }) => account.logout(client))
  .onRequest(toAgent.auth.status, () => account.status())
  .onRequest(session.new, ({ params, client }) => sessions.new(params, client))
  .onRequest(session.resume, ({ params, client }) => sessions.resume(params, client))
  .onRequest(session.fork, ({ params, client }) => sessions.fork(params, client))
  .onRequest(session.list, ({ params }) => sessions.list(params ?? {}))
  .onRequest(session.close, ({ params }) => sessions.close(params))
  .onRequest(session.delete, ({ params }) => sessions.delete(params))
  .onRequest(session.status, ({ params }) => sessions.status(params))
  .onRequest(session.setTitle, ({ params }) => sessions.setTitle(params))
  .onRequest(session.setConfigOption, ({ params }) => sessions.opened(params.sessionId).set(params))
  .onRequest(session.prompt, ({ params, signal }) => sessions.opened(params.sessionId).prompt(params.prompt, signal))
  .onRequest(toAgent.toolCall.cancel, ({ params }) => sessions.opened(params.sessionId).cancelCall(params.toolCallId))
  .onNotification(session.cancel, ({ params }) => sessions.ifOpened(params.sessionId)?.cancel())
  .connect(inOrder(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))));

await connection.closed;
process.exit(0);
