import { randomBytes } from "node:crypto";
import type * as vscode from "vscode";
import type { HubChanged } from "../../../../crates/serve/types.ts";
import { fromWire } from "./session_name.ts";

const KEY = "attache.editorKey";
const SESSIONS = "attache.ownSessions";
/** The most sessions that are remembered, the latest at the end. */
const MOST = 100;

/**
 * The sessions that this window created, whose agents use its texts and terminals. They outlive the
 * connection and a reload of the window, as does the key that shows the hub that they are its own.
 */
export class OwnSessions {
  readonly key: string;
  private ids: string[];
  /** Those that the hub knows as served by this connection. */
  private readonly served = new Set<string>();

  constructor(private readonly memento: vscode.Memento) {
    this.key = memento.get(KEY, "") || randomBytes(18).toString("base64url");
    void memento.update(KEY, this.key);
    this.ids = memento.get<string[]>(SESSIONS, []);
  }

  /** Whether the window created the session with this id in ACP. */
  has(id: string): boolean {
    return this.ids.includes(id);
  }

  add(id: string): void {
    this.ids = [...this.ids.filter((known) => known !== id), id].slice(-MOST);
    this.served.add(id);
    void this.memento.update(SESSIONS, this.ids);
  }

  /** Notes that the connection ended. */
  disconnected(): void {
    this.served.clear();
  }

  /** Returns the ones that are open and not served yet, with their folders, once. */
  toServe({ list }: HubChanged): { sessionId: string; folder: HubFolder }[] {
    const due = this.ids.flatMap((sessionId) => {
      const of = fromWire(sessionId);
      const item = list.sessions.find(
        ({ agent, id, activity }) =>
          agent === of?.agent && id === of.sessionId && activity !== null,
      );
      // One that was closed is served again when it is opened again.
      if (item === undefined) this.served.delete(sessionId);
      if (item === undefined || this.served.has(sessionId)) return [];
      return [{ sessionId, folder: item.folder }];
    });
    for (const { sessionId } of due) this.served.add(sessionId);
    return due;
  }
}

type HubFolder = HubChanged["list"]["sessions"][number]["folder"];
