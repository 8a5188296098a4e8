import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import * as vscode from "vscode";
import { pageHtml } from "../pages/page_html.ts";
import type { Commands, Parts } from "./parts.ts";

/** The commands about recordings of traffic. */
export function traceCommands({ files }: Parts): Commands {
  return {
    openTrace: async (given) => {
      const title = "Open a Trace";
      const uris =
        given instanceof vscode.Uri
          ? [given]
          : await vscode.window.showOpenDialog({ title, canSelectMany: true });
      if (uris !== undefined && uris.length > 0) show(files, uris);
    },
  };
}

function show(files: vscode.Uri, uris: vscode.Uri[]): void {
  const title = `Trace ${uris.map((uri) => basename(uri.path)).join(", ")}`;
  const options = { enableScripts: true, localResourceRoots: [files] };
  const column = vscode.ViewColumn.Active;
  const { webview } = vscode.window.createWebviewPanel("attache.trace", title, column, options);
  webview.onDidReceiveMessage(async () => {
    const read = uris.map(async (uri) => ({
      name: basename(uri.path),
      text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)),
    }));
    await webview.postMessage({ files: await Promise.all(read) });
  });
  const uri = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(files, name)).toString();
  webview.html = pageHtml({
    address: "",
    place: "tab",
    script: uri("trace.js"),
    styles: [uri("page.css"), uri("theme.css")],
    source: webview.cspSource,
    nonce: randomBytes(18).toString("base64"),
  });
}
