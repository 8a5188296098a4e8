import { signal, type Signal } from "@preact/signals";
import type { Draft, SessionChanged, ToolCallRow } from "../../../crates/serve/types.ts";
import type { HubConnection, SessionWatcher } from "../protocol/hub.ts";
import {
  applyChange,
  applyRead,
  emptySession,
  missing,
  type SessionState,
} from "./rows.ts";

/** Rows are read before they come into view: when one is missing so near to it, up to so far. */
const NEAR = 60;
const AHEAD = 200;

/** Calls `draw` once before the next picture, also if the page is hidden. */
function beforeNextPicture(draw: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(draw, 100);
  else requestAnimationFrame(draw);
}

/** A session that the page shows. Changes are shown once in each picture. */
export class ShownSession implements SessionWatcher {
  readonly state: SessionState = emptySession();
  /** Changes whenever something of the session changed. */
  readonly version: Signal<number> = signal(0);
  readonly problem: Signal<string | null> = signal(null);
  /** Whether the first rows came. */
  readonly loaded: Signal<boolean> = signal(false);
  /** How many prompts the person sent here. */
  readonly prompted: Signal<number> = signal(0);
  /** What the person folded or unfolded, by the id of the row and the name of the part. */
  readonly folds = new Map<string, boolean>();
  /** The whole tool calls that were asked for, by row. */
  readonly whole = new Map<number, ToolCallRow>();
  watch: number | null = null;
  private isDrawing = false;
  private reading = false;

  constructor(
    private readonly hub: HubConnection,
    readonly agent: string,
    readonly sessionId: string,
    private readonly drafted: (draft: Draft) => void,
    private readonly announced: (change: SessionChanged) => void,
  ) {}

  get key(): string {
    return `${this.agent}/${this.sessionId}`;
  }

  position(): SessionState["position"] {
    return this.state.position;
  }

  started(watch: number): void {
    this.watch = watch;
    this.state.closed = null;
    this.problem.value = null;
  }

  failed(why: string): void {
    this.problem.value = why;
  }

  changed(change: SessionChanged): void {
    if (!applyChange(this.state, change)) return;
    if (change.replaced) {
      this.whole.clear();
      this.folds.clear();
    }
    for (const row of change.rows) this.whole.delete(row.id);
    if (change.draft) this.drafted(change.draft);
    this.announced(change);
    this.draw();
  }

  /** Reads rows of this range, and near it, that are not known. */
  async need(first: number, end: number): Promise<void> {
    if (this.reading || this.watch === null) return;
    if (missing(this.state, first - NEAR, end + NEAR) === null) return;
    const range = missing(this.state, first - AHEAD, end + AHEAD);
    if (range === null) return;
    this.reading = true;
    const asked = this.state.position;
    try {
      const read = { watch: this.watch, from: range[0], to: range[1] };
      const { rows } = await this.hub.call("_attache/rows", read);
      if (applyRead(this.state, asked, rows)) this.draw();
    } catch {
      // The rows are asked for again when they come into view.
    } finally {
      this.reading = false;
    }
  }

  /** Reads a tool call with its whole output. */
  async readWhole(row: number): Promise<void> {
    if (this.watch === null) return;
    const call = await this.hub.call("_attache/whole_call", { watch: this.watch, row });
    this.whole.set(row, call);
    // The row is drawn again only if it is another object.
    const known = this.state.rows[row];
    if (known !== undefined) this.state.rows[row] = { ...known };
    this.draw();
  }

  draw(): void {
    if (this.isDrawing) return;
    this.isDrawing = true;
    beforeNextPicture(() => {
      this.isDrawing = false;
      this.loaded.value = true;
      this.version.value++;
    });
  }
}
