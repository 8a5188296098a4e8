// The official TypeScript SDK's clients over WebSocket and streamable HTTP.
//
// node --experimental-websocket remote.mjs URL TOKEN
//
// It sends two prompts, closes the connection, loads the session over a new one and prints the text
// that it received.
import * as acp from "@agentclientprotocol/sdk";
import { serverStream } from "./client/agent-server.mjs";

const { agent: toAgent, client: toClient } = acp.methods;
const [url, token] = process.argv.slice(2);

async function connected(work) {
  const stream = serverStream(url, token);
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
