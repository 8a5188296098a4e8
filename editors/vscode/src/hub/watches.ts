import type { OfSession, SessionChanged } from "../../../../crates/serve/types.ts";

/** Takes the notifications of one watch. */
export type Receive = (method: string, params: unknown) => void;

/** The number of notifications that wait until their watch is known. */
const EARLY = 200;

/** Passes notifications on by the number of their watch. */
export class Watches {
  private readonly receivers = new Map<number, Receive>();
  private early: { watch: number; method: string; params: unknown }[] = [];

  /** Passes notifications of this watch to `receive`, also those that came before this call. */
  add(watch: number, receive: Receive): void {
    this.receivers.set(watch, receive);
    const own = this.early.filter((each) => each.watch === watch);
    this.early = this.early.filter((each) => each.watch !== watch);
    for (const each of own) receive(each.method, each.params);
  }

  remove(watch: number): void {
    this.receivers.delete(watch);
    this.early = this.early.filter((each) => each.watch !== watch);
  }

  clear(): void {
    this.receivers.clear();
    this.early = [];
  }

  notified(method: string, params: unknown): void {
    const watch = (params as { watch?: unknown } | undefined)?.watch;
    if (typeof watch !== "number") return;
    const receive = this.receivers.get(watch);
    if (receive !== undefined) return receive(method, params);
    this.early.push({ watch, method, params });
    if (this.early.length > EARLY) this.early.shift();
  }
}

/** A session that the extension itself watches. */
export interface Watched {
  of: OfSession;
  changed(change: SessionChanged): void;
  /** The number of the watch; `null` while there is none. */
  watch: number | null;
}
