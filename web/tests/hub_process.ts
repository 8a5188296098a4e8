// A real hub with a home of its own, and a program that is attached to it.
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import type { DeviceItem, Scope } from "../../crates/serve/types.ts";

/** How long something may take on a busy machine, in milliseconds. */
export const LONG = 60_000;

function attache(): string {
  const path = resolve(process.env["ATTACHE"] ?? "../target/debug/attache");
  const how = "build it with `cargo build`, or name one with the variable ATTACHE";
  assert.ok(existsSync(path), `there is no attache at ${path}: ${how}`);
  return path;
}

/** What `attache serve --json` says of itself. */
interface Described {
  url: string;
  token: string;
}

/** What `attache serve devices --json` prints. */
interface Devices {
  devices: (Pick<DeviceItem, "id" | "scope"> & { name: string })[];
  login?: string;
}

/** A hub that serves the page, and the folder of a project in which it may open sessions. */
export class HubProcess {
  private readonly home = mkdtempSync(join(tmpdir(), "hub-"));
  readonly folder = join(this.home, "project");
  private process: ChildProcess | null = null;
  private described: Described | null = null;

  constructor() {
    mkdirSync(this.folder);
    mkdirSync(join(this.home, "run"));
    chmodSync(join(this.home, "run"), 0o700);
  }

  /** Starts the hub; the second time at the port that it had. */
  async start(): Promise<void> {
    const port = this.described === null ? "0" : new URL(this.described.url).port;
    const given = ["serve", "--port", port, "--json", "--folder", this.folder];
    const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
    const hub = spawn(attache(), given, { env: this.environment(), stdio });
    this.process = hub;
    const lines = createInterface({ input: hub.stdout });
    const first = await Promise.race([once(lines, "line"), once(hub, "exit").then(() => null)]);
    assert.ok(first !== null, "the hub ended before it served the page");
    this.described = JSON.parse(first[0] as string) as Described;
  }

  /** The address of the page, from the first start on. */
  get address(): string {
    assert.ok(this.described, "the hub runs");
    return this.described.url;
  }

  /** Ends the hub in order, and keeps what it stored. */
  async end(): Promise<void> {
    await this.signal("SIGTERM");
  }

  /** Kills the hub, so that it can close nothing. */
  async kill(): Promise<void> {
    await this.signal("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.end();
    rmSync(this.home, { recursive: true });
  }

  /** Runs `attache serve devices` and returns what it prints. */
  async devices(...given: string[]): Promise<Devices> {
    const all = ["serve", "devices", ...given, "--json"];
    const { stdout } = await promisify(execFile)(attache(), all, { env: this.environment() });
    return JSON.parse(stdout) as Devices;
  }

  /** Returns an address at which one more device can log in. */
  async login(scope: Scope): Promise<string> {
    const { login } = await this.devices("add", "--scope", scope);
    assert.ok(login, "the hub gives an address for the login");
    return login;
  }

  /** The only device. */
  async device(): Promise<Devices["devices"][number]> {
    const { devices } = await this.devices();
    const [device] = devices;
    assert.ok(device !== undefined && devices.length === 1, JSON.stringify(devices));
    return device;
  }

  /** Gives an agent a name, so that sessions can be opened with it. */
  async addAgent(name: string, ...command: string[]): Promise<void> {
    const all = ["agents", "add", name, "--", ...command];
    await promisify(execFile)(attache(), all, { env: this.environment() });
  }

  async program(): Promise<Program> {
    assert.ok(this.described, "the hub runs");
    return Program.attach(this.described);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    const hub = this.process;
    this.process = null;
    if (hub === null || hub.exitCode !== null || hub.signalCode !== null) return;
    const ended = once(hub, "exit");
    hub.kill(signal);
    await ended;
  }

  private environment(): NodeJS.ProcessEnv {
    const of = (name: string): string => join(this.home, name);
    return {
      PATH: process.env["PATH"],
      SHELL: "/bin/sh",
      HOME: this.home,
      XDG_RUNTIME_DIR: of("run"),
      XDG_STATE_HOME: of("state"),
      XDG_DATA_HOME: of("data"),
      XDG_CONFIG_HOME: of("config"),
      XDG_CACHE_HOME: of("cache"),
    };
  }
}

interface Reply {
  id?: number;
  method?: string;
  result?: any;
  error?: unknown;
}

/** A program that speaks ACP with the hub. It leaves all questions to other front ends. */
export class Program {
  private last = 0;
  private readonly waiting = new Map<number, (reply: Reply) => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as Reply;
      if (message.method === undefined) this.waiting.get(message.id ?? 0)?.(message);
    });
  }

  static async attach({ url, token }: Described): Promise<Program> {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/acp`, ["acp"], { headers });
    await once(socket, "open");
    const program = new Program(socket);
    const clientInfo = { name: "program", title: "A program", version: "1" };
    await program.call("initialize", { protocolVersion: 1, clientCapabilities: {}, clientInfo });
    return program;
  }

  async open(cwd: string, agent?: string): Promise<string> {
    const { sessionId } = await this.call("session/new", { cwd, mcpServers: [] });
    if (agent !== undefined) {
      const option = { sessionId, configId: "attache.agent", value: agent };
      await this.call("session/set_config_option", option);
    }
    return sessionId;
  }

  /** Sends a prompt. The turn has ended when the promise is kept. */
  async prompt(sessionId: string, text: string): Promise<string> {
    const prompt = [{ type: "text", text }];
    const { stopReason } = await this.call("session/prompt", { sessionId, prompt });
    return stopReason;
  }

  close(): void {
    this.socket.close();
  }

  private async call(method: string, params: object): Promise<any> {
    const id = ++this.last;
    const reply = new Promise<Reply>((keep) => this.waiting.set(id, keep));
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const { result, error } = await reply;
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  }
}
