import * as vscode from "vscode";
import type { OfSession } from "../../../../crates/serve/types.ts";
import type { FromEditor, ToEditor } from "../../../../web/src/protocol/editor.ts";
import type { Hub } from "../hub/hub.ts";
import { addressOf, fromAddress } from "../hub/session_name.ts";
import { PageLink } from "./page_link.ts";
import { load } from "./webview_document.ts";

/** A page in a webview. */
export class Page implements vscode.Disposable {
  private readonly link: PageLink;
  private readonly subscription: vscode.Disposable;
  private address: string;
  /** What the page gets once it runs. */
  private waiting: FromEditor[] = [];
  private runs = false;

  constructor(
    hub: Hub,
    private readonly webview: vscode.Webview,
    files: vscode.Uri,
    place: "side" | "tab",
    of: OfSession | null,
    shown: (of: OfSession | null) => void,
  ) {
    this.address = of === null ? "" : addressOf(of);
    this.link = new PageLink(hub, (message) => void webview.postMessage(message));
    this.subscription = vscode.Disposable.from(
      hub.onState(() => this.link.follow()),
      webview.onDidReceiveMessage((message: ToEditor) => {
        if (message.type === "open") this.begins();
        if (this.link.receive(message) || message.type !== "shown") return;
        this.address = message.address;
        shown(this.session);
      }),
    );
    load(webview, files, { address: this.address, place, script: "app.js" });
  }

  /** The session that the page shows. */
  get session(): OfSession | null {
    return fromAddress(this.address);
  }

  /** Shows a session, or the list for `null`, and a panel. */
  show(of: OfSession | null, panel: string | null = null): void {
    this.address = of === null ? "#/" : addressOf(of);
    this.tell({ type: "show", address: this.address, panel });
  }

  /** Adds text to the next prompt. */
  insert(text: string, files: string[]): void {
    this.tell({ type: "insert", text, files });
  }

  dispose(): void {
    this.subscription.dispose();
    this.link.dispose();
  }

  private tell(message: FromEditor): void {
    if (this.runs) void this.webview.postMessage(message);
    else this.waiting.push(message);
  }

  private begins(): void {
    this.runs = true;
    for (const message of this.waiting) void this.webview.postMessage(message);
    this.waiting = [];
  }
}
