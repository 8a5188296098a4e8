// An MCP server that the client serves itself, over the ACP connection: one tool, `echo`.
import * as acp from "@agentclientprotocol/sdk/unstable";

export const provider = new acp.McpOverAcpProvider();

const tools = [{ name: "client_echo", description: "Gives its arguments back.", inputSchema: { type: "object" } }];

async function handler({ method, params }) {
  if (method === "tools/list") return { result: { tools } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: JSON.stringify(params?.arguments ?? {}) }] } };
  return { error: { code: -32601, message: "Method not found" } };
}

/** The server as a session names it. */
export function declaration(agent) {
  return provider.registerServer(agent, { name: "client", handler }).declaration;
}
