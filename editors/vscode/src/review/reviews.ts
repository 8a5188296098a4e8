import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import type {
  HunkDecision,
  OfSession,
  ReviewedFile,
  ReviewItems,
} from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import { keyOf } from "../hub/session_name.ts";
import type { CurrentSession } from "../sessions/current_session.ts";
import { label, plain } from "../text.ts";

/** The shortest time between two reads that follow what happens in a session. */
const PAUSE = 100;

/** A review of a session. */
export interface Review {
  of: OfSession;
  folder: string;
  items: ReviewItems;
}

/** The changes of the current session, and what the person decides about them. */
export class Reviews implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Review | null>();
  readonly onChange = this.changed.event;
  private known: Review | null = null;
  /** The session that is followed, to read its changes again after each turn. */
  private followed: { of: OfSession; watch: vscode.Disposable } | null = null;
  private timer: NodeJS.Timeout | undefined;
  /** The number of reads of the changes, of which only the last counts. */
  private reads = 0;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly hub: Hub,
    private readonly current: CurrentSession,
  ) {
    this.subscription = vscode.Disposable.from(
      current.onChange(() => this.follow()),
      hub.onChange(() => this.follow()),
    );
  }

  get value(): Review | null {
    return this.known;
  }

  /** Reads the review of the current session again. */
  async refresh(): Promise<void> {
    const of = this.current.value;
    const read = ++this.reads;
    if (of === null || this.item(of)?.activity == null) return this.set(null);
    let review: Review | null = null;
    try {
      const items = await this.hub.call("_attache/review", { ...of, first: null, last: null });
      review = { of, folder: plain(this.item(of)?.folder), items };
    } catch {
      // An agent without a folder, or a session that was closed meanwhile, has no review.
    }
    if (read === this.reads) this.set(review);
  }

  /** Decides about hunks of the known review. */
  async decide(hunks: string[], decision: HunkDecision): Promise<void> {
    const review = this.known;
    if (review === null || hunks.length === 0) return;
    const decided = await this.hub.call("_attache/decide", { ...review.of, hunks, decision });
    if (!this.isCurrent(review.of)) return;
    this.reads++;
    this.set({ ...review, items: decided.review });
  }

  /** Shows what would go back, and takes it back if the person confirms. */
  async reject(hunks: string[]): Promise<void> {
    const review = this.known;
    if (review === null || hunks.length === 0) return;
    const goal = { type: "hunks" as const, hunks };
    const asked = { ...review.of, goal, force: false };
    const preview = await this.hub.call("_attache/restore_preview", asked);
    const lines = preview.lines.map((line) => plain(line)).join("\n");
    if (preview.isEmpty) {
      const why = lines || "The file changed since, so the change cannot be taken back.";
      void vscode.window.showWarningMessage(label(why));
      return;
    }
    const title = hunks.length === 1 ? "Reject the Change" : "Reject the Changes";
    const message = "This takes the change back in the file:";
    const options = { modal: true, detail: lines };
    const picked = await vscode.window.showWarningMessage(message, options, title);
    if (picked !== title) return;
    await this.hub.call("_attache/restore", { preview: preview.preview, what: "files" });
    await this.refresh();
  }

  /** The file on disk that a change is about. */
  uri(file: ReviewedFile): vscode.Uri {
    const path = plain(file.change.path);
    const folder = this.known?.folder ?? "";
    return vscode.Uri.file(isAbsolute(path) ? path : join(folder, path));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.followed?.watch.dispose();
    this.subscription.dispose();
    this.changed.dispose();
  }

  /** Follows the current session as long as it is open. */
  private follow(): void {
    const current = this.current.value;
    const of = current !== null && this.item(current)?.activity != null ? current : null;
    const followed = this.followed?.of ?? null;
    if (of === followed || (of && followed && keyOf(of) === keyOf(followed))) return;
    this.followed?.watch.dispose();
    this.followed = of && { of, watch: this.watch(of) };
    this.reads++;
    this.set(null);
  }

  /**
   * Reads the changes again whenever something happened in the session and no turn runs. The list
   * of the hub is no help: a short turn begins and ends between two of its notifications.
   */
  private watch(of: OfSession): vscode.Disposable {
    let isIdle = false;
    return this.hub.follow(of, ({ status, rows }) => {
      if (status) isIdle = status.activity.kind === "idle";
      if (isIdle && (status || rows.length > 0)) this.refreshSoon();
    });
  }

  private refreshSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, PAUSE);
  }

  private item(of: OfSession) {
    const sessions = this.hub.view?.list.sessions ?? [];
    return sessions.find(({ agent, id }) => agent === of.agent && id === of.sessionId);
  }

  private isCurrent(of: OfSession): boolean {
    return this.current.value !== null && keyOf(this.current.value) === keyOf(of);
  }

  private set(review: Review | null): void {
    if (review === null && this.known === null) return;
    this.known = review;
    const hunks = review?.items.files.flatMap((file) => file.hunks) ?? [];
    const told = hunks.some((hunk) => hunk.state === "rejected" || hunk.comment !== "");
    void vscode.commands.executeCommand("setContext", "attache.reviewed", told);
    this.changed.fire(review);
  }
}
