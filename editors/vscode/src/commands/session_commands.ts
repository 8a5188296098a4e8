import * as vscode from "vscode";
import type { ListChange, OfSession } from "../../../../crates/serve/types.ts";
import { label, plain } from "../text.ts";
import { pickOne } from "./pick_one.ts";
import { isNode, pickSession, targetOf, titleOf } from "./pick_session.ts";
import type { Commands, Parts } from "./parts.ts";

/** The commands about sessions. */
export function sessionCommands(parts: Parts): Commands {
  const { hub, current, pages } = parts;
  const target = (node: unknown): Promise<OfSession | null> => targetOf(node, hub, current);
  const change = async (node: unknown, change: ListChange): Promise<void> => {
    const of = await target(node);
    if (of !== null) await hub.call("_attache/change", { ...of, change });
  };
  return {
    newSession: () => newSession(parts),
    openSession: async () => {
      const of = await pickSession(hub);
      if (of !== null) await pages.showInSideBar(of);
    },
    openInEditor: async (node) => {
      const of = await target(node);
      if (of !== null) pages.showInTab(of);
    },
    openInSideBar: async (node) => pages.showInSideBar(await target(node)),
    prompt: async (node) => {
      const of = await target(node);
      if (of !== null) await prompt(parts, of);
    },
    cancel: async (node) => {
      const of = await target(node);
      if (of !== null) await hub.call("_attache/cancel", of);
    },
    search: async () => pages.showPanel(current.value, "search"),
    continue: async (node) => {
      const of = await target(node);
      if (of === null) return;
      await pages.showInSideBar(await hub.call("_attache/continue", of));
    },
    restartAgent: async (node) => {
      const of = await target(node);
      if (of !== null) await hub.call("_attache/restart", { agent: of.agent });
    },
    rename: async (node) => {
      const of = await target(node);
      if (of === null) return;
      const value = isNode(node) && node.kind === "session" ? plain(node.item.title) : "";
      const title = await vscode.window.showInputBox({ title: "Rename the Session", value });
      if (!title) return;
      await hub.call("_attache/change", { ...of, change: { type: "rename", title } });
    },
    archive: (node) => change(node, { type: "archive", archived: true }),
    unarchive: (node) => change(node, { type: "archive", archived: false }),
    close: (node) => change(node, { type: "close" }),
    delete: async (node) => {
      const of = await target(node);
      if (of === null) return;
      const options = { modal: true, detail: "Its history cannot be restored." };
      const asked = `Delete ${titleOf(hub, of)}?`;
      const sure = await vscode.window.showWarningMessage(asked, options, "Delete");
      if (sure !== "Delete") return;
      await hub.call("_attache/change", { ...of, change: { type: "delete" } });
      current.set(null);
    },
  };
}

async function newSession({ hub, pages }: Parts): Promise<void> {
  const folder = await pickFolder();
  if (folder === undefined) return;
  const agent = await pickAgent((await hub.ready()).agents);
  if (agent === undefined) return;
  const options = { location: { viewId: "attache.sessions" } };
  await vscode.window.withProgress(options, async () => {
    await pages.showInSideBar(await hub.newSession(agent, folder.fsPath));
  });
}

async function pickFolder(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) return (await vscode.window.showWorkspaceFolderPick())?.uri;
  if (folders[0] !== undefined) return folders[0].uri;
  const title = "Folder of the New Session";
  const chosen = { title, canSelectFolders: true, canSelectFiles: false, openLabel: "Use" };
  return (await vscode.window.showOpenDialog(chosen))?.[0];
}

/** Asks for an agent. Returns `undefined` if the person leaves. */
async function pickAgent(
  known: { name: string; title: string; installed: boolean; needs: string }[],
): Promise<string | undefined> {
  const settings = vscode.workspace.getConfiguration("attache");
  const own = Object.entries(settings.get<Record<string, string>>("agents", {}));
  const items = [
    ...known
      .filter(({ installed }) => installed)
      .map(({ name, title, needs }) => ({
        label: label(title || name),
        description: needs === "" ? "" : label(`needs ${needs}`),
        agent: name,
      })),
    ...own.map(([name, command]) => ({
      label: label(name),
      description: label(command),
      agent: command,
    })),
  ];
  if (items.length === 1) return items[0]?.agent;
  const options = { title: "Agent of the New Session", placeHolder: "Choose an agent" };
  return (await pickOne(items, options))?.agent;
}

async function prompt({ hub, pages }: Parts, of: OfSession): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: "Send a Prompt",
    placeHolder: "Write what to do",
    ignoreFocusOut: true,
  });
  if (!text) return;
  await hub.call("_attache/prompt", { ...of, content: [{ type: "text", text }] });
  await pages.showInSideBar(of);
}
