// The official TypeScript SDK's clients over WebSocket and streamable HTTP.
//
// node --experimental-websocket remote.mjs websocket|http URL TOKEN
//
// It sends two prompts, closes the connection, loads the session over a new one and prints the text
// that it received.
import * as acp from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";

const { agent: toAgent, client: toClient } = acp.methods;
const [kind, url, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };

/** The WebSocket of Node, which takes headers in its second argument. */
class NodeWebSocket extends WebSocket {
  constructor(address, protocols = [], options = {}) {
    super(address, { protocols, headers: options.headers });
  }
}

function open() {
  if (kind === "http") return createHttpStream(url, { headers });
  return createWebSocketStream(url, { headers, WebSocket: NodeWebSocket });
}

async function connected(work) {
  const stream = open();
  let text = "";
  const connection = acp
    .client({ name: "official-ts-remote-client" })
    .onNotification(toClient.session.update, ({ params: { update } }) => {
      text += update.content?.text ?? "";
    })
    .connect(stream);
  const { agent } = connection;
  await agent.request(toAgent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const taken = () => {
    const received = text;
    text = "";
    return received;
  };
  const result = await work(agent, taken);
  connection.close();
  return result;
}

const session = await connected(async (agent, taken) => {
  const { sessionId } = await agent.request(toAgent.session.new, { cwd: "/", mcpServers: [] });
  for (const text of ["one", "two"]) {
    await agent.request(toAgent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    console.log(taken());
  }
  return sessionId;
});
await connected(async (agent, taken) => {
  await agent.request(toAgent.session.load, { sessionId: session, cwd: "/", mcpServers: [] });
  console.log(`loaded: ${taken()}`);
});
process.exit(0);
