import type { Draft } from "../../../crates/serve/types.ts";

const PREFIX = "attache.draft.";

/** What is kept of a session's draft. */
interface Kept {
  text: string;
  /** The text that the hub has, as far as this page knows. */
  synced: string;
}

/** The part of `localStorage` that is used. */
export interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** What to do with a draft that another front end wrote. */
export type Merge = { kind: "keep" } | { kind: "adopt" | "offer"; text: string };

/** The texts that are not sent yet. They are stored in the browser at every change. */
export class Drafts {
  constructor(private readonly storage: Storage) {}

  text(session: string): string {
    return this.read(session).text;
  }

  write(session: string, text: string): void {
    this.store(session, { ...this.read(session), text });
  }

  /** The hub has this text. */
  synced(session: string, text: string): void {
    this.store(session, { ...this.read(session), synced: text });
  }

  /** Whether the hub does not have the text yet. */
  isUnsynced(session: string): boolean {
    const { text, synced } = this.read(session);
    return text !== synced;
  }

  /** Decides about a draft from the hub. `own` is the number of this connection. */
  merge(session: string, draft: Draft, own: number | null): Merge {
    const { text, synced } = this.read(session);
    // Pages of one editor share a connection, so an own draft may be that of another page. What was
    // typed here since is newer.
    if (draft.text === text || (draft.by === own && text !== synced)) {
      this.synced(session, draft.text);
      return { kind: "keep" };
    }
    // An empty draft that nobody wrote is that of a hub which lost it: it gets the text again.
    if (draft.text === "" && draft.by === 0) {
      this.synced(session, "");
      return { kind: "keep" };
    }
    // What was typed here and is not in the hub wins; the other text is offered.
    if (text !== "" && text !== synced) {
      return draft.text === "" ? { kind: "keep" } : { kind: "offer", text: draft.text };
    }
    this.store(session, { text: draft.text, synced: draft.text });
    return { kind: "adopt", text: draft.text };
  }

  private read(session: string): Kept {
    try {
      const stored = JSON.parse(this.storage.getItem(PREFIX + session) ?? "null") as Kept | null;
      if (stored !== null && typeof stored.text === "string") {
        return { text: stored.text, synced: String(stored.synced ?? "") };
      }
    } catch {
      // A broken entry is as good as none.
    }
    return { text: "", synced: "" };
  }

  private store(session: string, kept: Kept): void {
    try {
      if (kept.text === "" && kept.synced === "") this.storage.removeItem(PREFIX + session);
      else this.storage.setItem(PREFIX + session, JSON.stringify(kept));
    } catch {
      // The storage is full or forbidden; the hub still gets the text.
    }
  }
}
