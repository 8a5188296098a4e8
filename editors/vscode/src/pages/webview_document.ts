import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageHtml, type PageParts } from "./page_html.ts";

/** What a webview shows: a script of the page's files, at an address. */
export type Shown = Pick<PageParts, "address" | "place" | "script">;

/** Loads the script and the styles of the page into a webview. */
export function load(webview: vscode.Webview, files: vscode.Uri, shown: Shown): void {
  const uri = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(files, name)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [files] };
  webview.html = pageHtml({
    ...shown,
    script: uri(shown.script),
    styles: [uri("page.css"), uri("theme.css")],
    source: webview.cspSource,
    nonce: randomBytes(18).toString("base64"),
  });
}
