import type { TraceChanged, TracedAgent } from "../../../crates/serve/types.ts";
import type { Channel, OpenChannel } from "../protocol/channel.ts";
import { negotiate, pause } from "../protocol/hub.ts";
import type { Method, Params, Result } from "../protocol/methods.ts";
import { CallError, Peer } from "../protocol/peer.ts";
import { LiveLines } from "./live_lines.ts";

/** The state of the connection to the hub. */
export type LiveState =
  | { kind: "connecting" }
  | { kind: "online" }
  | { kind: "waiting"; why: string }
  /** The hub refuses this browser: it must log in. */
  | { kind: "refused" }
  /** The hub does not show messages to this device. */
  | { kind: "failed"; why: string };

/** What is reported of the hub and of the agent that is watched. */
export interface LiveEvents {
  state(state: LiveState): void;
  agents(agents: TracedAgent[]): void;
  /** There are more messages. */
  changed(lines: LiveLines): void;
}

/** Follows the messages between a hub and one of its agents. Connects again until it is closed. */
export class LiveTrace {
  private channel: Channel | null = null;
  private peer: Peer | null = null;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isOnline = false;
  private agent: string | null = null;
  private watch: number | null = null;
  private early: TraceChanged[] = [];
  private lines = new LiveLines();

  constructor(
    private readonly open: OpenChannel,
    private readonly events: LiveEvents,
  ) {}

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

  /** Ends the connection and the watch, until `connect` and `follow` begin others. */
  close(): void {
    clearTimeout(this.timer);
    const channel = this.channel;
    this.peer?.end("closed");
    this.peer = null;
    this.channel = null;
    this.isOnline = false;
    this.agent = null;
    this.watch = null;
    this.early = [];
    channel?.close();
  }

  /** Follows this agent from now on, instead of the last one. */
  async follow(agent: string): Promise<void> {
    const earlier = this.watch;
    this.agent = agent;
    this.watch = null;
    this.early = [];
    this.lines = new LiveLines();
    this.events.changed(this.lines);
    if (!this.isOnline) return;
    if (earlier !== null) void this.call("_attache/unwatch", { watch: earlier }).catch(() => {});
    await this.attempted(() => this.beginWatch());
  }

  /** Asks for the agents again. */
  async refresh(): Promise<void> {
    if (!this.isOnline) return;
    await this.attempted(async () => {
      this.events.agents((await this.call("_attache/traces", {})).agents);
    });
  }

  private async begin(peer: Peer): Promise<void> {
    try {
      await negotiate(peer);
    } catch (error) {
      if (this.peer === peer) this.channel?.close();
      this.lost(peer, error instanceof Error ? error.message : String(error), false);
      return;
    }
    this.isOnline = true;
    this.attempt = 0;
    this.events.state({ kind: "online" });
    await this.refresh();
    if (this.agent !== null) await this.attempted(() => this.beginWatch());
  }

  /** Reports a call that fails. After a lost connection, the next one tries again. */
  private async attempted(calling: () => Promise<void>): Promise<void> {
    try {
      await calling();
    } catch (error) {
      if (error instanceof CallError && error.lost) return;
      const why = error instanceof Error ? error.message : String(error);
      this.events.state({ kind: "failed", why });
    }
  }

  private async beginWatch(): Promise<void> {
    const { agent, lines } = this;
    if (agent === null) return;
    const params = { agent, since: lines.position };
    const { watch } = await this.call("_attache/watch_trace", params);
    if (this.lines !== lines) {
      void this.call("_attache/unwatch", { watch }).catch(() => {});
      return;
    }
    this.watch = watch;
    const early = this.early;
    this.early = [];
    for (const changed of early) this.changed(changed);
  }

  private async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    if (this.peer === null) throw new CallError("not connected to the hub", true);
    return (await this.peer.call(method, params)) as Result<M>;
  }

  private notified(method: string, params: unknown): void {
    if (method === "_attache/trace") this.changed(params as TraceChanged);
  }

  private changed(changed: TraceChanged): void {
    // The first notification may come before the answer that says its number.
    if (this.watch === null) this.early.push(changed);
    if (changed.watch !== this.watch) return;
    this.lines.add(changed);
    this.events.changed(this.lines);
  }

  private lost(peer: Peer, why: string, refused: boolean): void {
    if (this.peer !== peer) return;
    this.peer = null;
    this.channel = null;
    this.isOnline = false;
    this.watch = null;
    this.early = [];
    peer.end(why);
    if (refused) {
      this.events.state({ kind: "refused" });
      return;
    }
    this.events.state({ kind: "waiting", why });
    const wait = pause(this.attempt++, Math.random());
    this.timer = setTimeout(() => this.connect(), wait);
  }
}
