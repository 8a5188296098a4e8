import { basename } from "node:path";
import * as vscode from "vscode";
import type { FromEditor, ToEditor } from "../../../../web/src/protocol/editor.ts";
import type { Hub } from "../hub/hub.ts";
import { label } from "../text.ts";
import { PageLink } from "./page_link.ts";
import { load } from "./webview_document.ts";

/** What the viewer of messages shows first: recordings, or the messages of an agent. */
export type Traced = { recordings: vscode.Uri[] } | { agent: string };

/** Opens the viewer of messages in a tab. It can watch the agents of the hub. */
export function openTracePage(hub: Hub, files: vscode.Uri, traced: Traced): void {
  const panel = vscode.window.createWebviewPanel(
    "attache.trace",
    titleOf(traced),
    vscode.ViewColumn.Active,
    { retainContextWhenHidden: true },
  );
  panel.iconPath = vscode.Uri.joinPath(files, "../../media/icon.png");
  const { webview } = panel;
  const tell = (message: FromEditor): void => void webview.postMessage(message);
  const link = new PageLink(hub, tell);
  const subscription = vscode.Disposable.from(
    hub.onState(() => link.follow()),
    webview.onDidReceiveMessage((message: ToEditor) => {
      if (!link.receive(message) && message.type === "ready") void begin(traced, tell);
    }),
  );
  panel.onDidDispose(() => {
    subscription.dispose();
    link.dispose();
  });
  load(webview, files, { address: "", place: "tab", script: "trace.js" });
}

function titleOf(traced: Traced): string {
  const shown =
    "agent" in traced ? traced.agent : traced.recordings.map(({ path }) => basename(path)).join();
  return `Trace ${shown}`;
}

/** Tells the viewer, which now runs, what to show. */
async function begin(traced: Traced, tell: (message: FromEditor) => void): Promise<void> {
  if ("agent" in traced) return tell({ type: "watch", agent: traced.agent });
  const read = traced.recordings.map(async (uri) => ({
    name: basename(uri.path),
    text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)),
  }));
  try {
    tell({ type: "recordings", files: await Promise.all(read) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(label(why));
  }
}
