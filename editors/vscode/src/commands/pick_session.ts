import * as vscode from "vscode";
import type { OfSession } from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import type { CurrentSession } from "../sessions/current_session.ts";
import { sessionOf, type SessionNode } from "../sessions/sessions_tree.ts";
import { label } from "../text.ts";
import { pickOne } from "./pick_one.ts";

/** Asks for a session. Returns `null` if the person leaves or there is none. */
export async function pickSession(hub: Hub): Promise<OfSession | null> {
  const { sessions } = (await hub.ready()).list;
  if (sessions.length === 0) {
    const asked = "There is no session yet.";
    const picked = await vscode.window.showInformationMessage(asked, "New Session");
    if (picked !== undefined) await vscode.commands.executeCommand("attache.newSession");
    return null;
  }
  const items = sessions.map(({ agent, id, title, folder }) => ({
    label: label(title) || "(no title)",
    description: label(agent),
    detail: label(folder),
    of: { agent, sessionId: id },
  }));
  const options = { title: "Session", placeHolder: "Choose a session", matchOnDetail: true };
  const picked = await pickOne(items, options);
  return picked?.of ?? null;
}

/** Returns the session of a node, or else the current one, or else the one that is chosen. */
export async function targetOf(
  node: unknown,
  hub: Hub,
  current: CurrentSession,
): Promise<OfSession | null> {
  const named = isNode(node) ? sessionOf(node) : null;
  return named ?? current.value ?? (await pickSession(hub));
}

/** The name of a session in a question about it. */
export function titleOf(hub: Hub, { agent, sessionId }: OfSession): string {
  const sessions = hub.view?.list.sessions ?? [];
  const item = sessions.find((each) => each.agent === agent && each.id === sessionId);
  return `“${label(item?.title) || label(sessionId)}” of ${label(agent)}`.replace(/\s+/g, " ");
}

/** Whether a command got a node of the tree of sessions. */
export function isNode(value: unknown): value is SessionNode {
  return typeof value === "object" && value !== null && "kind" in value;
}
