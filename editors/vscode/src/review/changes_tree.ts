import * as vscode from "vscode";
import type { HunkState, ReviewedFile, ReviewedHunk } from "../../../../crates/serve/types.ts";
import { plain } from "../text.ts";
import type { Reviews } from "./reviews.ts";

/** A place in the tree. */
export type ChangeNode =
  | { kind: "file"; file: ReviewedFile }
  | { kind: "hunk"; file: ReviewedFile; hunk: ReviewedHunk }
  | { kind: "note"; text: string };

const ICONS: Record<HunkState, string> = {
  open: "circle-outline",
  accepted: "check",
  rejected: "discard",
};

/** The open hunks of a node. */
export function openHunks(node: ChangeNode): string[] {
  if (node.kind === "note") return [];
  const hunks = node.kind === "hunk" ? [node.hunk] : node.file.hunks;
  return hunks.filter((hunk) => hunk.state === "open").map((hunk) => hunk.id);
}

/** The files and hunks of the review. */
export class ChangesTree implements vscode.TreeDataProvider<ChangeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly reviews: Reviews) {
    this.subscription = reviews.onChange(() => this.changed.fire());
  }

  getChildren(node?: ChangeNode): ChangeNode[] {
    const items = this.reviews.value?.items;
    if (items === undefined) return [];
    if (node === undefined) {
      const notes = items.notes.map((note): ChangeNode => ({ kind: "note", text: plain(note) }));
      return [...items.files.map((file): ChangeNode => ({ kind: "file", file })), ...notes];
    }
    if (node.kind !== "file") return [];
    return node.file.hunks.map((hunk) => ({ kind: "hunk", file: node.file, hunk }));
  }

  getTreeItem(node: ChangeNode): vscode.TreeItem {
    if (node.kind === "note") {
      const item = new vscode.TreeItem(node.text);
      item.iconPath = new vscode.ThemeIcon("info");
      return item;
    }
    return node.kind === "file" ? this.file(node) : hunk(node);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private file(node: ChangeNode & { kind: "file" }): vscode.TreeItem {
    const { change } = node.file;
    const uri = this.reviews.uri(node.file);
    const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Expanded);
    const open = openHunks(node).length;
    item.label = plain(change.path);
    item.id = uri.toString();
    item.iconPath = vscode.ThemeIcon.File;
    item.description = `${change.change} +${change.added} −${change.removed}`;
    item.contextValue = open > 0 ? "file.open" : "file";
    return item;
  }
}

function hunk(node: ChangeNode & { kind: "hunk" }): vscode.TreeItem {
  const shown = node.file.change.hunks[node.hunk.index];
  const changed = shown?.lines.filter((line) => line.change !== "same") ?? [];
  const first = changed.find((line) => line.change === "added") ?? changed[0];
  const item = new vscode.TreeItem(plain(first?.line).trim() || "(change without lines)");
  item.id = node.hunk.id;
  item.iconPath = new vscode.ThemeIcon(ICONS[node.hunk.state]);
  const state = node.hunk.state === "open" ? "" : node.hunk.state;
  const facts = [state, node.hunk.comment];
  item.description = facts.filter((fact) => fact !== "").join(" · ");
  item.tooltip = changed
    .map((line) => `${line.change === "added" ? "+" : "−"} ${plain(line.line)}`)
    .join("\n");
  item.contextValue = `hunk.${node.hunk.state}`;
  item.command = { command: "attache.openDiff", title: "Open Changes", arguments: [node] };
  return item;
}
