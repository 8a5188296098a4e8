// An MCP server that the client runs itself, over the ACP connection, with one tool, `echo`.
import * as acp from "@agentclientprotocol/sdk/unstable";

export const provider = new acp.McpOverAcpProvider();

const tools = [{ name: "client_echo", description: "Gives its arguments back.", inputSchema: { type: "object" } }];

async function handler({ method, params }) {
  if (method === "tools/list") return { result: { tools } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: JSON.stringify(params?.arguments ?? {}) }] } };
  return { error: { code: -32601, message: "Method not found" } };
}

/** The server in the params of a session. */
export function declaration(agent) {
  return provider.registerServer(agent, { name: "client", handler }).declaration;
}
