import * as vscode from "vscode";
import type { OfSession } from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import { addressOf, fromAddress, keyOf } from "../hub/session_name.ts";
import type { CurrentSession } from "../sessions/current_session.ts";
import { plain } from "../text.ts";
import type { KeptTabs } from "./kept_tabs.ts";
import { Page } from "./page.ts";

/** The type of the tabs. */
const TAB = "attache.session";
const VIEW = "attache.page";

interface Tab {
  panel: vscode.WebviewPanel;
  page: Page;
}

/** The pages of the window: one in the side bar, and any number of tabs. */
export class Pages implements vscode.Disposable, vscode.WebviewViewProvider {
  private side: Page | null = null;
  private readonly tabs = new Set<Tab>();
  private readonly subscription: vscode.Disposable;
  private wanted: { of: OfSession | null; panel: string | null } | null = null;

  constructor(
    private readonly hub: Hub,
    private readonly current: CurrentSession,
    private readonly files: vscode.Uri,
    private readonly kept: KeptTabs,
  ) {
    this.subscription = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(VIEW, this, {
        webviewOptions: { retainContextWhenHidden: true },
      }),
      vscode.window.registerWebviewPanelSerializer(TAB, {
        deserializeWebviewPanel: async (panel, state: unknown) => {
          const { address = "" } = (state ?? {}) as { address?: string };
          this.adopt(panel, fromAddress(address));
        },
      }),
      hub.onChange(() => this.entitle()),
    );
    void this.takeOver();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const of = this.wanted?.of ?? this.current.value;
    const page = new Page(this.hub, view.webview, this.files, "side", of, (shown) =>
      this.current.set(shown),
    );
    if (this.wanted?.panel) page.show(of, this.wanted.panel);
    this.wanted = null;
    this.side = page;
    view.onDidDispose(() => {
      page.dispose();
      this.side = null;
    });
  }

  /** Shows a session in the side bar. */
  async showInSideBar(of: OfSession | null, panel: string | null = null): Promise<void> {
    this.wanted = { of, panel };
    if (of !== null) this.current.set(of);
    this.side?.show(of, panel);
    if (this.side !== null) this.wanted = null;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Shows a session in a tab. */
  showInTab(of: OfSession, panel: string | null = null): void {
    const known = this.tabOf(of);
    if (known !== undefined) {
      known.panel.reveal();
      if (panel !== null) known.page.show(of, panel);
      return;
    }
    const { page } = this.create(vscode.ViewColumn.Active, false, of);
    if (panel !== null) page.show(of, panel);
  }

  /** Shows a panel of a session where the session is shown, or else in the side bar. */
  async showPanel(of: OfSession | null, panel: string): Promise<void> {
    const tab = of === null ? undefined : this.tabOf(of);
    if (of !== null && tab?.panel.visible) this.showInTab(of, panel);
    else await this.showInSideBar(of, panel);
  }

  /** Adds text to the next prompt of the current session. */
  async insert(text: string, mentioned: string[]): Promise<void> {
    const active = [...this.tabs].find(({ panel }) => panel.visible);
    if (active !== undefined && active.page.session !== null) {
      active.panel.reveal(undefined, false);
      active.page.insert(text, mentioned);
      return;
    }
    await this.showInSideBar(this.current.value);
    this.side?.insert(text, mentioned);
  }

  dispose(): void {
    this.subscription.dispose();
    this.side?.dispose();
    for (const { panel } of this.tabs) panel.dispose();
  }

  /**
   * Replaces the tabs that an earlier extension host left in this window: they have lost their
   * connection, and VS Code gives them to no other host.
   */
  private async takeOver(): Promise<void> {
    const open = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isPage);
    const lost: vscode.Tab[] = [];
    for (const { address, title, column } of this.kept.read()) {
      // VS Code gives this host the tabs that were not shown since the window was loaded.
      const at = open.findIndex(
        ({ label, group }) => label === title && group.viewColumn === column,
      );
      if (at < 0) continue;
      lost.push(...open.splice(at, 1));
      this.create(column, true, fromAddress(address));
    }
    await vscode.window.tabGroups.close(lost, true);
  }

  private create(column: vscode.ViewColumn, preserveFocus: boolean, of: OfSession | null): Tab {
    const place = { viewColumn: column, preserveFocus };
    const options = { retainContextWhenHidden: true };
    return this.adopt(vscode.window.createWebviewPanel(TAB, "Attaché", place, options), of);
  }

  private adopt(panel: vscode.WebviewPanel, of: OfSession | null): Tab {
    panel.iconPath = vscode.Uri.joinPath(this.files, "../../media/icon.png");
    const page = new Page(this.hub, panel.webview, this.files, "tab", of, (shown) => {
      this.current.set(shown);
      this.entitle();
    });
    const tab = { panel, page };
    this.tabs.add(tab);
    if (of !== null && panel.active) this.current.set(of);
    panel.onDidChangeViewState(() => {
      if (panel.active && page.session !== null) this.current.set(page.session);
      this.keep();
    });
    panel.onDidDispose(() => {
      page.dispose();
      this.tabs.delete(tab);
      this.keep();
    });
    this.entitle();
    return tab;
  }

  /** Remembers the tabs for another extension host of this window. */
  private keep(): void {
    const tabs = [...this.tabs].map(({ panel, page }) => ({
      address: page.session === null ? "" : addressOf(page.session),
      title: panel.title,
      column: panel.viewColumn ?? vscode.ViewColumn.Active,
      visible: panel.visible,
    }));
    this.kept.write(tabs);
  }

  private tabOf(of: OfSession): Tab | undefined {
    return [...this.tabs].find(({ page }) => page.session && keyOf(page.session) === keyOf(of));
  }

  /** Gives the tabs the titles of their sessions, and remembers them. */
  private entitle(): void {
    const sessions = this.hub.view?.list.sessions ?? [];
    for (const { panel, page } of this.tabs) {
      const { session } = page;
      const item = sessions.find(
        ({ agent, id }) => agent === session?.agent && id === session.sessionId,
      );
      const title = plain(item?.title) || session?.agent || "Attaché";
      if (panel.title !== title) panel.title = title;
    }
    this.keep();
  }
}

/** Whether a tab is one of a session. VS Code puts words before the type. */
function isPage({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(TAB);
}
