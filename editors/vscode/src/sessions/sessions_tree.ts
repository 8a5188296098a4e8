import * as vscode from "vscode";
import type {
  AttentionItem,
  AttentionReason,
  OfSession,
  SessionItem,
} from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import { plain } from "../text.ts";

/** A place in the tree. */
export type SessionNode =
  | { kind: "section"; name: "attention" | "sessions" }
  | { kind: "attention"; item: AttentionItem }
  | { kind: "session"; item: SessionItem };

const ICONS: Record<AttentionReason, [string, string]> = {
  question: ["question", "notificationsInfoIcon.foreground"],
  problem: ["error", "notificationsErrorIcon.foreground"],
  held: ["debug-pause", "notificationsWarningIcon.foreground"],
  unread: ["circle-filled", "notificationsInfoIcon.foreground"],
};

/** The session of a node; `null` for a question that belongs to none. */
export function sessionOf(node: SessionNode): OfSession | null {
  if (node.kind === "session") return { agent: node.item.agent, sessionId: node.item.id };
  if (node.kind === "section" || node.item.session === null) return null;
  return { agent: node.item.agent, sessionId: node.item.session };
}

/** The sessions of the hub, after what waits for the person. */
export class SessionsTree implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly hub: Hub) {
    this.subscription = vscode.Disposable.from(
      hub.onChange(() => this.changed.fire()),
      hub.onState(() => this.changed.fire()),
    );
  }

  getChildren(node?: SessionNode): SessionNode[] {
    const list = this.hub.state.kind === "online" ? this.hub.view?.list : undefined;
    if (list === undefined || (list.sessions.length === 0 && list.attention.length === 0)) {
      return [];
    }
    const sessions = list.sessions.map((item): SessionNode => ({ kind: "session", item }));
    if (node === undefined) {
      if (list.attention.length === 0) return sessions;
      return [
        { kind: "section", name: "attention" },
        { kind: "section", name: "sessions" },
      ];
    }
    if (node.kind !== "section") return [];
    return node.name === "attention"
      ? list.attention.map((item) => ({ kind: "attention", item }))
      : sessions;
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    if (node.kind === "section") return section(node.name);
    return node.kind === "attention" ? attention(node) : session(node);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

function section(name: "attention" | "sessions"): vscode.TreeItem {
  const label = name === "attention" ? "Waiting for You" : "All Sessions";
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = name;
  return item;
}

function open(node: SessionNode): vscode.Command {
  return { command: "attache.openInSideBar", title: "Open", arguments: [node] };
}

function attention(node: SessionNode & { kind: "attention" }): vscode.TreeItem {
  const { item } = node;
  const shown = new vscode.TreeItem(plain(item.title) || item.agent);
  const [icon, color] = ICONS[item.reason];
  shown.id = JSON.stringify([item.agent, item.session, item.question, item.reason]);
  shown.description = plain(item.line);
  shown.tooltip = `${item.agent}: ${plain(item.line)}`;
  shown.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  shown.contextValue = item.question === null ? "session" : "question";
  const answer = { command: "attache.answer", title: "Answer", arguments: [node] };
  shown.command = item.session === null ? answer : open(node);
  return shown;
}

function session(node: SessionNode & { kind: "session" }): vscode.TreeItem {
  const { item } = node;
  const activity = item.activity;
  const shown = new vscode.TreeItem(plain(item.title) || "(no title)");
  shown.id = JSON.stringify([item.agent, item.id]);
  const doing = plain(activity?.line);
  const facts = [
    doing || item.agent,
    item.unread > 0 ? `${item.unread} new` : "",
    item.queued > 0 ? `${item.queued} queued` : "",
    plain(item.cost),
    ...item.tags,
  ];
  shown.description = facts.filter((fact) => fact !== "").join(" · ");
  shown.tooltip = `${item.agent}\n${plain(item.folder)}`;
  const isRunning = !["idle", "problem", "closed", undefined].includes(activity?.kind);
  shown.iconPath = new vscode.ThemeIcon(icon(item, isRunning));
  const states = ["session", activity && "open", isRunning && "running"];
  shown.contextValue = [...states, item.archived && "archived"].filter(Boolean).join(".");
  shown.command = open(node);
  return shown;
}

function icon(item: SessionItem, isRunning: boolean): string {
  if (item.archived) return "archive";
  if (item.activity?.kind === "asking") return "question";
  if (item.activity?.kind === "problem") return "error";
  if (isRunning) return "loading~spin";
  return item.activity === null ? "history" : "comment-discussion";
}
