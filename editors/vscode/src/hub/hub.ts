import * as vscode from "vscode";
import type {
  HubChanged,
  Negotiated,
  OfSession,
  SessionChanged,
} from "../../../../crates/serve/types.ts";
import { pause } from "../../../../web/src/protocol/hub.ts";
import type { Method, Params, Result } from "../../../../web/src/protocol/methods.ts";
import { CallError } from "../../../../web/src/protocol/peer.ts";
import { plain } from "../text.ts";
import { AttachProcess, type Launch, type ProcessEnd } from "./attach_process.ts";
import type { OwnSessions } from "./own_sessions.ts";
import { fromWire } from "./session_name.ts";
import { mismatch } from "./version.ts";
import { Watches, type Watched } from "./watches.ts";
import { WindowPeer, type Serve } from "./window_peer.ts";

/** The state of the connection. */
export type HubState =
  | { kind: "connecting" }
  | { kind: "online"; negotiated: Negotiated }
  /** There is no such program. */
  | { kind: "missing"; why: string }
  /** Another attempt follows. */
  | { kind: "waiting"; why: string };

/** What the extension does for the agents of sessions that this window created. */
function capabilities(terminal: boolean): object {
  return {
    fs: { readTextFile: true, writeTextFile: true },
    terminal,
    _meta: { attache: { version: 1 } },
  };
}

interface Initialized {
  agentInfo?: { version?: string };
  agentCapabilities?: { _meta?: { attache?: Negotiated } };
}

/** The window's connection to the shared hub. It connects again until it is disposed. */
export class Hub implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<HubState>();
  private readonly hubChanged = new vscode.EventEmitter<HubChanged>();
  /** Changes of the connection. */
  readonly onState = this.stateChanged.event;
  /** Changes of the sessions and of what waits for the person. */
  readonly onChange = this.hubChanged.event;
  readonly watches = new Watches();
  private current: HubState = { kind: "connecting" };
  private known: HubChanged | null = null;
  private process: AttachProcess | null = null;
  private peer: WindowPeer | null = null;
  private attempt = 0;
  private timer: NodeJS.Timeout | undefined;
  private disposed = false;
  private readonly watched = new Set<Watched>();

  constructor(
    private readonly launch: () => Launch,
    private readonly version: string,
    private readonly serve: Serve,
    private readonly own: OwnSessions,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get state(): HubState {
    return this.current;
  }

  /** What the hub last said; `null` before that. */
  get view(): HubChanged | null {
    return this.known;
  }

  /** Returns what the hub last said, or waits for it. Fails if the connection cannot be made. */
  ready(): Promise<HubChanged> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const { known, state } = this;
        if (known !== null) resolve(known);
        else if (state.kind === "missing" || state.kind === "waiting") reject(new Error(state.why));
        else return;
        subscription.dispose();
      };
      const subscription = vscode.Disposable.from(this.onChange(check), this.onState(check));
      check();
    });
  }

  /** Connects now, also if another attempt is planned for later. */
  connect(): void {
    if (this.process !== null || this.disposed) return;
    clearTimeout(this.timer);
    this.set({ kind: "connecting" });
    const peer = new WindowPeer(
      (text) => process.send(text),
      (method, params) => this.watches.notified(method, params),
      this.serve,
    );
    const process = new AttachProcess(this.launch(), {
      line: (text) => peer.receive(text),
      said: (text) => this.log.info(text),
      ended: (end) => this.ended(peer, end),
    });
    this.process = process;
    this.peer = peer;
    void this.begin(peer, process);
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return (await this.callRaw(method, params)) as Result<M>;
  }

  /** Calls a method that `Methods` does not list. */
  async callRaw(method: string, params: unknown): Promise<unknown> {
    if (this.peer === null || this.current.kind !== "online") {
      throw new CallError("not connected to the hub; try again when it is back", true);
    }
    return this.peer.call(method, params);
  }

  /**
   * Opens a new session. Its agent uses the texts in the editors of this window, and its terminals.
   * `agent` is a name or a command line; the hub chooses if it is `null`.
   */
  async newSession(agent: string | null, cwd: string): Promise<OfSession> {
    const _meta = { attache: { editor: this.own.key, ...(agent === null ? {} : { agent }) } };
    const reply = await this.callRaw("session/new", { cwd, mcpServers: [], _meta });
    const { sessionId } = reply as { sessionId: string };
    const opened = fromWire(sessionId);
    if (opened === null) throw new Error(`the hub gave the session a wrong id: ${sessionId}`);
    this.own.add(sessionId);
    return opened;
  }

  /** Follows a session until the result is disposed, also after a reconnection. */
  follow(of: OfSession, changed: (change: SessionChanged) => void): vscode.Disposable {
    const watched: Watched = { of, changed, watch: null };
    this.watched.add(watched);
    void this.beginWatch(watched);
    return new vscode.Disposable(() => {
      this.watched.delete(watched);
      this.endWatch(watched.watch);
    });
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
    this.process?.close();
    this.stateChanged.dispose();
    this.hubChanged.dispose();
  }

  private async begin(peer: WindowPeer, process: AttachProcess): Promise<void> {
    try {
      const reply = (await peer.call("initialize", {
        protocolVersion: 1,
        clientInfo: { name: "attache-vscode", title: "VS Code", version: this.version },
        clientCapabilities: capabilities(this.launch().terminals),
      })) as Initialized;
      const negotiated = reply.agentCapabilities?._meta?.attache;
      const hub = negotiated?.hub ?? reply.agentInfo?.version ?? "unknown";
      const wrong = mismatch(this.version, hub);
      if (wrong !== null) throw new Error(wrong);
      if (negotiated === undefined) throw new Error("this hub has no methods for front ends");
      this.attempt = 0;
      this.set({ kind: "online", negotiated });
      const asked = { words: "", archived: false, limit: null };
      const { watch } = await this.call("_attache/watch_hub", asked);
      this.watches.add(watch, (_, params) => {
        this.known = params as HubChanged;
        this.serveAgain(this.known);
        this.hubChanged.fire(this.known);
      });
      await Promise.all([...this.watched].map((each) => this.beginWatch(each)));
    } catch (error) {
      if (error instanceof CallError && error.lost) return;
      const why = error instanceof Error ? error.message : String(error);
      process.close();
      this.ended(peer, { missing: false, why });
    }
  }

  private async beginWatch(watched: Watched): Promise<void> {
    if (this.current.kind !== "online") return;
    try {
      const asked = { ...watched.of, since: null, rows: 1 };
      const { watch } = await this.call("_attache/watch_session", asked);
      if (!this.watched.has(watched)) return this.endWatch(watch);
      watched.watch = watch;
      this.watches.add(watch, (_, params) => watched.changed(params as SessionChanged));
    } catch (error) {
      this.log.warn(`cannot follow ${watched.of.agent}/${watched.of.sessionId}: ${String(error)}`);
    }
  }

  /** Lets the agents of sessions that this window created before use its texts again. */
  private serveAgain(changed: HubChanged): void {
    const _meta = { attache: { editor: this.own.key } };
    for (const { sessionId, folder } of this.own.toServe(changed)) {
      const asked = { sessionId, cwd: plain(folder), mcpServers: [], _meta };
      this.callRaw("session/resume", asked).catch((error: unknown) =>
        this.log.warn(`cannot serve the files of ${sessionId}: ${String(error)}`),
      );
    }
  }

  private endWatch(watch: number | null): void {
    if (watch === null) return;
    this.watches.remove(watch);
    // It ends with the connection at the latest.
    this.call("_attache/unwatch", { watch }).catch(() => {});
  }

  private ended(peer: WindowPeer, { missing, why }: ProcessEnd): void {
    if (this.peer !== peer) return;
    this.peer = null;
    this.process = null;
    this.watches.clear();
    this.own.disconnected();
    for (const each of this.watched) each.watch = null;
    peer.end(why);
    if (this.disposed) return;
    this.log.warn(why);
    this.set(missing ? { kind: "missing", why } : { kind: "waiting", why });
    // A program that is missing is tried again when the person asks for it.
    if (missing) return;
    this.timer = setTimeout(() => this.connect(), pause(this.attempt++, Math.random()));
  }

  private set(state: HubState): void {
    this.current = state;
    this.stateChanged.fire(state);
  }
}
