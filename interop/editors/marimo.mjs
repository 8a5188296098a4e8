// Sends PROMPT through marimo's client of ACP to the bridge at URL, answers its question with the
// first option of the kind ANSWER, and prints the updates: node marimo.mjs MODULES URL PROMPT ANSWER
// MODULES is a folder with the npm packages use-acp, which marimo contains, and stdio-to-ws.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, url, prompt, answer] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/${path}`).href);
// In marimo, the browser has it.
globalThis.WebSocket ??= createRequire(pathToFileURL(`${modules}/`))(`${modules}/ws`);
const { AcpClient } = await load("use-acp/dist/client/acp-client.js");
const { WebSocketManager } = await load("use-acp/dist/connection/websocket-manager.js");
const sdk = createRequire(pathToFileURL(`${modules}/use-acp/dist/index.js`));
const { ClientSideConnection, ndJsonStream } = await import(
  pathToFileURL(sdk.resolve("@agentclientprotocol/sdk")).href
);

const manager = new WebSocketManager({ url, onConnectionStateChange() {}, onError: console.error });
const { readable, writable } = await manager.connect();
let asked = false;
let client;
const agent = new ClientSideConnection((agent) => {
  client = new AcpClient(agent, {
    onRequestPermission({ deferredId, options }) {
      asked = true;
      const { optionId } = options.find(({ kind }) => kind === answer);
      client.resolvePermission(deferredId, { outcome: { outcome: "selected", optionId } });
    },
    onSessionNotification: ({ update }) => console.log(JSON.stringify(update)),
  });
  return client;
}, ndJsonStream(writable, readable));
await agent.initialize({ protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await agent.newSession({ cwd: process.cwd(), mcpServers: [] });
const turn = await agent.prompt({ sessionId, prompt: [{ type: "text", text: prompt }] });
manager.disconnect();
console.log(`ended: ${turn.stopReason}, asked: ${asked}`);
process.exit(asked ? 0 : 1);
