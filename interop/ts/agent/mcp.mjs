// A minimal client of the Model Context Protocol that can call tools: over stdio, HTTP, and the ACP
// connection itself.
import * as acp from "@agentclientprotocol/sdk/unstable";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * The time limit for a server to be ready, in milliseconds. A slow server is left out, and the
 * session continues (SESS-07).
 */
const patience = 3000;
const clientInfo = { name: "official-ts-agent", version: "2.4.0" };
const protocolVersion = "2025-06-18";

/** MCP messages as lines over the pipes of a child process. */
class Stdio {
  #waiting = new Map();
  #last = 0;

  constructor({ command, args, env }, cwd) {
    const environment = { ...process.env, ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])) };
    this.child = spawn(command, args ?? [], { cwd, env: environment, stdio: ["pipe", "pipe", "inherit"], detached: true });
    this.child.on("error", (error) => this.#end(error));
    this.child.on("exit", () => this.#end(new Error("it ended")));
    this.child.stdin.on("error", () => {});
    createInterface({ input: this.child.stdout }).on("line", (line) => this.#receive(line));
  }

  #receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message.method !== undefined) {
      if (message.id === undefined) return;
      const answer = message.method === "ping" ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
      this.#write({ id: message.id, ...answer });
      return;
    }
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  #end(error) {
    for (const answer of this.#waiting.values()) answer({ error: { code: -32603, message: error.message } });
    this.#waiting.clear();
  }

  #write(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  notify(method, params) {
    this.#write({ method, params });
  }

  request(method, params) {
    if (this.child.exitCode !== null) return Promise.resolve({ error: { code: -32603, message: "it ended" } });
    return new Promise((resolve) => {
      const id = (this.#last += 1);
      this.#waiting.set(id, resolve);
      this.#write({ id, method, params });
    });
  }

  close() {
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

/**
 * Streamable HTTP: each message is a POST, answered with JSON or an event stream that contains the
 * reply.
 */
class Http {
  #session;
  #last = 0;

  constructor({ url, headers }) {
    this.url = url;
    this.headers = Object.fromEntries((headers ?? []).map(({ name, value }) => [name, value]));
  }

  async #post(message) {
    const headers = { ...this.headers, "content-type": "application/json", accept: "application/json, text/event-stream" };
    if (this.#session) Object.assign(headers, { "mcp-session-id": this.#session, "mcp-protocol-version": protocolVersion });
    const response = await fetch(this.url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
    this.#session ??= response.headers.get("mcp-session-id");
    const body = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return response.headers.get("content-type")?.startsWith("text/event-stream")
      ? body.split("\n").filter((line) => line.startsWith("data:")).map((line) => JSON.parse(line.slice(5)))
      : body.trim() && [JSON.parse(body)];
  }

  async notify(method, params) {
    await this.#post({ method, params });
  }

  async request(method, params) {
    const id = (this.#last += 1);
    const messages = await this.#post({ id, method, params });
    return messages.find((message) => message.id === id) ?? { error: { code: -32603, message: "it did not answer" } };
  }

  close() {}
}

const overAcp = new acp.McpOverAcpCaller({ clientInfo });
/** The notifications of MCP servers that the client runs. */
export const onMcpNotification = overAcp.handleNotification;

/** A server that the client runs: MCP messages travel as `mcp/message`, without a handshake. */
class OverAcp {
  constructor({ serverId }, client) {
    Object.assign(this, { serverId, client });
  }

  request(method, params) {
    return overAcp.request(this.client, this.serverId, method, params);
  }

  close() {}
}

function link(server, cwd, client) {
  if (server.type === "acp") return new OverAcp(server, client);
  return server.type === "http" ? new Http(server) : new Stdio(server, cwd);
}

/** Returns the names of a server's tools, after the handshake. */
async function tools(link) {
  if (!(link instanceof OverAcp)) {
    const { error } = await link.request("initialize", { protocolVersion, capabilities: {}, clientInfo });
    if (error) throw new Error(error.message);
    await link.notify("notifications/initialized");
  }
  const { result, error } = await link.request("tools/list", {});
  if (error) throw new Error(error.message);
  return result.tools.map(({ name }) => name);
}

/** The MCP servers of a session. */
export class McpServers {
  #servers = [];

  /** Connects to all servers at once. Returns a message for each that is unavailable. */
  async open(servers, cwd, client) {
    const opened = servers.map(async (server) => {
      const late = new Promise((_, reject) => setTimeout(reject, patience, new Error("it does not answer")).unref());
      const to = link(server, cwd, client);
      try {
        this.#servers.push({ link: to, names: await Promise.race([tools(to), late]) });
        return undefined;
      } catch (error) {
        to.close();
        return `The MCP server ${server.name} is unavailable: ${error.message}`;
      }
    });
    return (await Promise.all(opened)).filter(Boolean);
  }

  /**
   * Returns the result of a tool: its content and whether it failed; `undefined` if no server has
   * it.
   */
  async call(name, args) {
    const server = this.#servers.find(({ names }) => names.includes(name));
    if (!server) return undefined;
    const { result, error } = await server.link.request("tools/call", { name, arguments: args ?? {} });
    if (error) return { content: [{ type: "text", text: error.message }], isError: true };
    return { content: result.content ?? [], isError: Boolean(result.isError) };
  }

  close() {
    for (const { link } of this.#servers.splice(0)) link.close();
  }
}
