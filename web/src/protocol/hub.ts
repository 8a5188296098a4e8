import type {
  HubChanged,
  Negotiated,
  SessionChanged,
  ViewPosition,
  WatchHub,
} from "../../../crates/serve/types.ts";
import type { Channel, OpenChannel } from "./channel.ts";
import type { Method, Params, Result } from "./methods.ts";
import { CallError, Peer } from "./peer.ts";

/** The state of the connection to the hub. */
export type ConnectionState =
  | { kind: "connecting" }
  | { kind: "online"; negotiated: Negotiated }
  /** The next attempt is made at `retryAt`, in milliseconds since 1970. */
  | { kind: "waiting"; why: string; retryAt: number }
  /** The hub refuses this tab: it must log in. */
  | { kind: "refused"; why: string };

/** What a watch of a session reports, and where it goes on after a reconnection. */
export interface SessionWatcher {
  agent: string;
  sessionId: string;
  position(): ViewPosition | null;
  started(watch: number): void;
  changed(change: SessionChanged): void;
  failed(why: string): void;
}

/** What the connection reports. */
export interface HubEvents {
  state(state: ConnectionState): void;
  hub(change: HubChanged): void;
}

/** The shortest and the longest pause before another attempt, in milliseconds. */
const PAUSE = { first: 500, most: 30_000 };
/** The number of early notifications that wait for the answer to their watch. */
const EARLY = 200;
/** More than a window shows. The rows before them are read next. */
const FIRST_ROWS = 80;

/** Waits before the next attempt: twice as long each time, with a part by chance. */
export function pause(attempt: number, chance: number): number {
  const whole = Math.min(PAUSE.most, PAUSE.first * 2 ** Math.min(attempt, 16));
  return Math.round(whole * (0.75 + chance / 2));
}

/** The connection to a hub. It connects again until it is closed, and begins its watches again. */
export class HubConnection {
  private channel: Channel | null = null;
  private peer: Peer | null = null;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isOnline = false;
  private hubFilter: WatchHub = { words: "", archived: false, limit: null };
  private hubWatch: number | null = null;
  private watcher: SessionWatcher | null = null;
  private sessionWatch: number | null = null;
  private early: { watch: number; method: string; params: unknown }[] = [];

  constructor(
    private readonly open: OpenChannel,
    private readonly events: HubEvents,
  ) {}

  /** Connects now, also if another attempt is planned for later. */
  connect(): void {
    if (this.channel !== null) return;
    clearTimeout(this.timer);
    this.events.state({ kind: "connecting" });
    const peer = new Peer(
      (text) => this.channel?.send(text),
      (method, params) => this.notified(method, params),
    );
    this.peer = peer;
    this.channel = this.open({
      opened: () => void this.begin(peer),
      message: (text) => peer.receive(text),
      closed: (why, refused) => this.lost(peer, why, refused),
    });
  }

  async call<M extends Method>(
    method: M,
    params: Params<M>,
    signal?: AbortSignal,
  ): Promise<Result<M>> {
    if (this.peer === null || !this.isOnline) {
      throw new CallError("not connected to the hub; try again when it is back", true);
    }
    return (await this.peer.call(method, params, signal)) as Result<M>;
  }

  /** Follows the hub with this filter instead of the last one. */
  async filterHub(filter: WatchHub): Promise<void> {
    this.hubFilter = filter;
    if (!this.isOnline) return;
    const earlier = this.hubWatch;
    this.hubWatch = null;
    if (earlier !== null) await this.call("_attache/unwatch", { watch: earlier });
    await this.watchHub();
  }

  /** Follows this session instead of the last one; none for `null`. */
  async watchSession(watcher: SessionWatcher | null): Promise<void> {
    const earlier = this.sessionWatch;
    this.watcher = watcher;
    this.sessionWatch = null;
    if (!this.isOnline) return;
    if (earlier !== null) void this.call("_attache/unwatch", { watch: earlier }).catch(() => {});
    await this.beginSession();
  }

  private async begin(peer: Peer): Promise<void> {
    try {
      const negotiated = await negotiate(peer);
      this.isOnline = true;
      this.attempt = 0;
      this.events.state({ kind: "online", negotiated });
      await Promise.all([this.watchHub(), this.beginSession()]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const { channel } = this;
      if (this.peer !== peer) return;
      // The channel's own event, which follows, says less.
      this.lost(peer, why, false);
      channel?.close();
    }
  }

  private async watchHub(): Promise<void> {
    const { watch } = await this.call("_attache/watch_hub", this.hubFilter);
    this.hubWatch = watch;
    this.deliverEarly(watch);
  }

  private async beginSession(): Promise<void> {
    const watcher = this.watcher;
    if (watcher === null) return;
    try {
      const { watch } = await this.call("_attache/watch_session", {
        agent: watcher.agent,
        sessionId: watcher.sessionId,
        since: watcher.position(),
        rows: FIRST_ROWS,
      });
      if (this.watcher !== watcher) {
        void this.call("_attache/unwatch", { watch }).catch(() => {});
        return;
      }
      this.sessionWatch = watch;
      watcher.started(watch);
      this.deliverEarly(watch);
    } catch (error) {
      if (error instanceof CallError && !error.lost) watcher.failed(error.message);
    }
  }

  private notified(method: string, params: unknown): void {
    const watch = (params as { watch?: unknown } | undefined)?.watch;
    if (typeof watch !== "number") return;
    if (method === "_attache/hub" && watch === this.hubWatch) {
      this.events.hub(params as HubChanged);
    } else if (method === "_attache/session" && watch === this.sessionWatch) {
      this.watcher?.changed(params as SessionChanged);
    } else if (this.hubWatch === null || (this.watcher !== null && this.sessionWatch === null)) {
      // The first notification may come before the answer that says its number.
      this.early.push({ watch, method, params });
      if (this.early.length > EARLY) this.early.shift();
    }
  }

  private deliverEarly(watch: number): void {
    const own = this.early.filter((each) => each.watch === watch);
    const hasSession = this.watcher === null || this.sessionWatch !== null;
    const isSettled = this.hubWatch !== null && hasSession;
    this.early = isSettled ? [] : this.early.filter((each) => each.watch !== watch);
    for (const each of own) this.notified(each.method, each.params);
  }

  private lost(peer: Peer, why: string, refused: boolean): void {
    if (this.peer !== peer) return;
    this.peer = null;
    this.channel = null;
    this.isOnline = false;
    this.hubWatch = null;
    this.sessionWatch = null;
    this.early = [];
    peer.end(why);
    if (refused) {
      this.events.state({ kind: "refused", why });
      return;
    }
    const wait = pause(this.attempt++, Math.random());
    this.events.state({ kind: "waiting", why, retryAt: Date.now() + wait });
    this.timer = setTimeout(() => this.connect(), wait);
  }
}

/** Introduces the page to the hub. */
export async function negotiate(peer: Peer): Promise<Negotiated> {
  const reply = await peer.call("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "attache-page", title: "Attaché in a browser", version: "1" },
    clientCapabilities: { _meta: { attache: { version: 1 } } },
  });
  return offered(reply);
}

interface Initialized {
  agentCapabilities?: { _meta?: { attache?: Negotiated } };
  _meta?: { attache?: Negotiated };
}

function offered(reply: unknown): Negotiated {
  const { agentCapabilities, _meta } = (reply ?? {}) as Initialized;
  const negotiated = agentCapabilities?._meta?.attache ?? _meta?.attache;
  if (negotiated === undefined) {
    throw new Error("this server is no Attaché hub, or its version does not fit this page");
  }
  return negotiated;
}
