// An agent on stdio written only with the official TypeScript SDK. It uses everything that the SDK
// has types for. It has no model: a prompt contains the commands of command.mjs, the acts of
// agent/acts.mjs, or a slash command.
//
// node agent.mjs [--sessions DIR]
// node agent.mjs login
//
// Sessions are stored in DIR, otherwise in the folder ACP_PEER_SESSIONS, otherwise only in memory.
// `login` is the program of its terminal login, and ends immediately.
import * as acp from "@agentclientprotocol/sdk/unstable";
import { Readable, Writable } from "node:stream";
import { Account, Providers } from "./agent/account.mjs";
import { onMcpNotification } from "./agent/mcp.mjs";
import { Sessions } from "./agent/sessions.mjs";
import { Store } from "./agent/store.mjs";
import { Turn } from "./agent/turn.mjs";
import { inOrder } from "./in-order.mjs";

const { agent: toAgent } = acp.methods;
const words = process.argv.slice(2);
if (words.includes("login")) {
  console.error("logged in");
  process.exit(0);
}
const folder = words[0] === "--sessions" ? words[1] : process.env.ACP_PEER_SESSIONS;

const account = new Account();
const providers = new Providers();
const sessions = new Sessions(new Store(folder), account);

function initialize({ clientCapabilities }) {
  sessions.clientCapabilities = clientCapabilities ?? {};
  return {
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false, acp: true },
      sessionCapabilities: {
        list: {},
        delete: {},
        resume: {},
        close: {},
        additionalDirectories: {},
        fork: {},
        archive: {},
        status: {},
        title: {},
        systemPrompt: { mode: { override: {} } },
      },
      auth: { logout: {}, status: {} },
      providers: {},
      // Acts in prompts are an extension (EXT-04).
      _meta: { "attache/acts": {} },
    },
    authMethods: account.methods(sessions.clientCapabilities),
    agentInfo: { name: "official-ts-agent", title: "Official TypeScript SDK", version: "2.4.0" },
  };
}

/**
 * Throws if the prompt is empty or has content that was not offered; it then starts no turn
 * (PROMPT-04, PROMPT-17).
 */
function checkPrompt(prompt) {
  if (!prompt.length) throw acp.RequestError.invalidParams(undefined, "the prompt is empty");
  if (prompt.some(({ type }) => type === "audio")) throw acp.RequestError.invalidParams(undefined, "audio was not offered");
}

async function prompt({ params, client, signal }) {
  const session = sessions.opened(params.sessionId);
  if (session.turn) throw acp.RequestError.invalidRequest(undefined, "a turn of this session is running");
  checkPrompt(params.prompt);
  const turn = new Turn(session, client, signal);
  session.turn = turn;
  try {
    const running = turn.run(params.prompt);
    // `ended` resolves only after the reply is on its way.
    turn.ended = running.then(() => {}, () => {}).then(() => new Promise(setImmediate));
    return await running;
  } finally {
    session.turn = undefined;
  }
}

async function setConfigOption({ params: { sessionId, configId, value } }) {
  const session = sessions.opened(sessionId);
  await session.set(configId, value, false);
  return { configOptions: session.configOptions() };
}

async function setMode({ params }) {
  await sessions.opened(params.sessionId).set("mode", params.modeId, true);
  return {};
}

const { session } = toAgent;
const connection = acp
  .agent({ name: "official-ts-agent" })
  .onRequest(toAgent.initialize, ({ params }) => initialize(params))
  .onRequest(toAgent.authenticate, ({ params, client }) => account.authenticate(params, client))
  .onRequest(toAgent.logout, ({ client }) => account.logout(client))
  .onRequest(toAgent.auth.status, () => account.status())
  .onRequest(toAgent.providers.list, () => providers.list())
  .onRequest(toAgent.providers.set, ({ params }) => providers.set(params))
  .onRequest(toAgent.providers.disable, ({ params }) => providers.disable(params))
  .onRequest(session.new, ({ params, client }) => sessions.new(params, client))
  .onRequest(session.load, ({ params, client }) => sessions.load(params, client))
  .onRequest(session.resume, ({ params, client }) => sessions.resume(params, client))
  .onRequest(session.fork, ({ params, client }) => sessions.fork(params, client))
  .onRequest(session.list, ({ params }) => sessions.list(params ?? {}))
  .onRequest(session.close, ({ params }) => sessions.close(params))
  .onRequest(session.delete, ({ params }) => sessions.delete(params))
  .onRequest(session.archive, ({ params }) => sessions.archive(params, true))
  .onRequest(session.unarchive, ({ params }) => sessions.archive(params, false))
  .onRequest(session.status, ({ params }) => sessions.status(params))
  .onRequest(session.setTitle, ({ params }) => sessions.setTitle(params))
  .onRequest(session.setMode, setMode)
  .onRequest(session.setConfigOption, setConfigOption)
  .onRequest(session.prompt, prompt)
  .onNotification(session.cancel, ({ params }) => sessions.ifOpened(params.sessionId)?.turn?.cancel())
  .onNotification(toAgent.mcp.message, onMcpNotification)
  .connect(inOrder(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))));

await connection.closed;
sessions.end();
process.exit(0);
