// A hub for tests: it serves the committed page and answers with recorded samples.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import type { Row, Scope, SessionChanged, TracedAgent, TraceLine } from "../../crates/serve/types.ts";

const PAGE = new URL("../../crates/serve/page/", import.meta.url);
const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};
/** The policy of the real server. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Messages that a test in `crates/serve/src/page/samples.rs` makes of real sessions. */
export const samples = JSON.parse(
  readFileSync(new URL("samples.json", import.meta.url), "utf8"),
) as Record<string, any> & { session: SessionChanged; streamed: SessionChanged[] };

export interface Call {
  method: string;
  params: any;
}

/** A hub that speaks the messages of one session. */
export class TestHub {
  /** The calls that came, in order. */
  readonly calls: Call[] = [];
  /** The messages of the login. */
  readonly logins: unknown[] = [];
  readonly protocols: string[] = [];
  scope: Scope = "control";
  /** Whether the page counts as a client on the machine of the hub. */
  local = false;
  /** Whether the hub refuses this browser from now on, as after a revocation. */
  forgetsDevices = false;
  /** The rows of the session. */
  rows: Row[] = [...samples.session.rows];
  /** The agents whose messages can be watched. */
  readonly traced: TracedAgent[] = [
    { agent: "gemini", isConnected: true, beganAt: 1_795_420_800_000, messages: 12 },
  ];
  /** Answers of calls that fail, by method. */
  readonly errors = new Map<string, string>();
  /** Methods whose calls are not answered before they are cancelled. */
  readonly held = new Set<string>();
  private readonly server: Server = createServer((request, reply) => this.serve(request, reply));
  private sockets = new Set<WebSocket>();
  private watch = 0;
  private sessionWatch = 0;
  private sequence = samples.session.position.sequence;

  async start(): Promise<string> {
    const web = new WebSocketServer({
      server: this.server,
      path: "/acp",
      verifyClient: () => !this.forgetsDevices,
      handleProtocols: (offered) => {
        this.protocols.push(...offered);
        return "acp";
      },
    });
    web.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("message", (data) => this.receive(socket, String(data)));
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.drop();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Ends all connections, as a network does. */
  drop(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  /** Sends a change of the session. */
  change(change: Partial<SessionChanged>): void {
    for (const row of change.rows ?? []) this.rows[row.id] = row;
    this.sequence++;
    const whole = { ...this.position(), replaced: false, count: this.rows.length, rows: [] };
    this.notify("_attache/session", { ...whole, ...change, ...this.position() });
  }

  /** Sends the state of the hub with these differences. */
  hub(differences: object): void {
    this.notify("_attache/hub", { ...samples.hub, scope: this.scope, ...differences, watch: 1 });
  }

  /** Sends messages with the agent that is watched. */
  trace(run: number, lines: TraceLine[]): void {
    this.notify("_attache/trace", { watch: 9, run, lines });
  }

  /** Returns the params of the last call of a method, when it comes. */
  async called(method: string): Promise<any> {
    for (;;) {
      const at = this.calls.findIndex((call) => call.method === method);
      if (at >= 0) return this.calls.splice(at, 1)[0]?.params;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  private position(): { watch: number; position: SessionChanged["position"] } {
    const position = { ...samples.session.position, sequence: this.sequence };
    return { watch: this.sessionWatch, position };
  }

  private notify(method: string, params: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", method, params });
    for (const socket of this.sockets) socket.send(text);
  }

  private serve(request: IncomingMessage, reply: ServerResponse): void {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    if (request.method === "POST" && path === "/acp/tab") {
      reply.statusCode = this.forgetsDevices ? 401 : 200;
      reply.setHeader("content-type", "application/json");
      reply.end(JSON.stringify({ tab: "renewed-secret" }));
      return;
    }
    if (request.method === "POST" && path === "/login") {
      let body = "";
      request.on("data", (part) => (body += String(part)));
      request.on("end", () => {
        this.logins.push(JSON.parse(body));
        reply.setHeader("content-type", "application/json");
        reply.end(JSON.stringify({ tab: "tab-secret", originKey: "origin-key" }));
      });
      return;
    }
    const name = path === "/" ? "index.html" : path.slice(1) + (path.includes(".") ? "" : ".html");
    let bytes: Buffer;
    try {
      bytes = readFileSync(new URL(name, PAGE));
    } catch {
      reply.statusCode = 404;
      reply.end();
      return;
    }
    reply.setHeader("content-type", TYPES[name.split(".").pop() ?? ""] ?? "");
    reply.setHeader("content-security-policy", POLICY);
    reply.end(bytes);
  }

  private receive(socket: WebSocket, text: string): void {
    const { id, method, params } = JSON.parse(text) as Call & { id: number };
    this.calls.push({ method, params });
    if (this.held.has(method)) return;
    if (method === "$/cancel_request") {
      const error = { code: -32800, message: "request cancelled" };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: params.requestId, error }));
      return;
    }
    const why = this.errors.get(method);
    const outcome = why ? { error: { code: -32000, message: why } } : this.result(method, params);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
    if (method === "_attache/watch_hub") this.hub({});
    if (method === "_attache/watch_session") this.begin(params);
  }

  /** Sends what a watch begins with: the latest rows, or only what changed. */
  private begin(params: { since: { sequence: number } | null; rows: number }): void {
    if (params.since !== null) {
      this.change({ rows: [] });
      return;
    }
    const rows = this.rows.slice(-params.rows);
    this.change({ ...samples.session, rows, count: this.rows.length, replaced: true });
  }

  private result(method: string, params: any): { result: unknown } {
    const negotiated = { ...samples.negotiated, scope: this.scope, local: this.local };
    const capabilities = { _meta: { attache: negotiated } };
    const opened = { agent: "gemini", sessionId: "s1" };
    const results: Record<string, () => unknown> = {
      initialize: () => ({ protocolVersion: 1, agentCapabilities: capabilities }),
      "_attache/watch_hub": () => ({ watch: 1 }),
      "_attache/watch_session": () => ({ watch: (this.sessionWatch = 2 + this.watch++) }),
      "_attache/rows": () => ({ rows: this.rows.slice(params.from, params.to).slice(-500) }),
      "_attache/whole_call": () => samples.wholeCall,
      "_attache/search": () => ({
        places: [{ ...opened, row: 0, line: samples.hub.list.sessions[0].title }],
      }),
      "_attache/open": () => opened,
      "_attache/files": () => ({ paths: ["src/parser.rs", "src/main.rs"] }),
      "_attache/review": () => samples.review,
      "_attache/decide": () => ({ review: decided(params) }),
      "_attache/checkpoints": () => samples.checkpoints,
      "_attache/restore_preview": () => samples.preview,
      "_attache/restore": () => ({ lines: [], session: opened }),
      "_attache/devices": () => samples.devices,
      "_attache/traces": () => ({ agents: this.traced }),
      "_attache/watch_trace": () => ({ watch: 9 }),
    };
    return { result: results[method]?.() ?? {} };
  }
}

/** The review after all hunks that are named were accepted. */
function decided(params: { hunks: string[] }): unknown {
  const review = structuredClone(samples.review);
  for (const file of review.files) {
    for (const hunk of file.hunks) {
      if (params.hunks.includes(hunk.id)) hunk.state = "accepted";
    }
  }
  return review;
}
