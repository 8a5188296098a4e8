import type * as vscode from "vscode";

const KEY = "attache.tabs";

/** A tab of a session. */
export interface KeptTab {
  /** The address that it shows. */
  address: string;
  title: string;
  /** The number of its group of editors. */
  column: number;
  /** Whether it is in front of its group. */
  visible: boolean;
}

interface Kept {
  window: string;
  tabs: KeptTab[];
}

/**
 * The open tabs of this window, until it is loaded again. VS Code gives tabs to the next extension
 * host after the window was loaded again, but not after the host crashed or was restarted.
 */
export class KeptTabs {
  private last: string | null = null;

  /** `window` names the window, with another name each time it is loaded. */
  constructor(
    private readonly memento: vscode.Memento,
    private readonly window: string,
  ) {}

  /** The tabs that an earlier host left in this window, those in front last. */
  read(): KeptTab[] {
    const kept = this.memento.get<Kept>(KEY);
    if (kept === undefined || kept.window !== this.window) return [];
    return [...kept.tabs].sort((a, b) => Number(a.visible) - Number(b.visible));
  }

  write(tabs: KeptTab[]): void {
    const text = JSON.stringify(tabs);
    if (text === this.last) return;
    this.last = text;
    void this.memento.update(KEY, { window: this.window, tabs } satisfies Kept);
  }
}
