import * as vscode from "vscode";
import { contextCommands } from "./commands/context_commands.ts";
import { hubCommands } from "./commands/hub_commands.ts";
import type { Commands, Parts } from "./commands/parts.ts";
import { sessionCommands } from "./commands/session_commands.ts";
import { traceCommands } from "./commands/trace_commands.ts";
import { showQuestion, workCommands } from "./commands/work_commands.ts";
import { serveFiles } from "./editor/editor_files.ts";
import type { Launch } from "./hub/attach_process.ts";
import { Hub } from "./hub/hub.ts";
import { OwnSessions } from "./hub/own_sessions.ts";
import type { Serve } from "./hub/window_peer.ts";
import { KeptTabs } from "./pages/kept_tabs.ts";
import { Pages } from "./pages/pages.ts";
import { OpenQuestions } from "./questions/open_questions.ts";
import { QuestionNotices } from "./questions/question_notices.ts";
import { ChangesTree } from "./review/changes_tree.ts";
import { HunkLenses } from "./review/hunk_lenses.ts";
import { ReviewDocuments } from "./review/review_documents.ts";
import { Reviews } from "./review/reviews.ts";
import { CurrentSession } from "./sessions/current_session.ts";
import { SessionsTree } from "./sessions/sessions_tree.ts";
import { Terminals } from "./terminals/terminals.ts";
import { label } from "./text.ts";

/** Connects the window to the shared hub. VS Code calls this in trusted workspaces only. */
export function activate(context: vscode.ExtensionContext): void {
  const own = <T extends vscode.Disposable>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(vscode.window.createOutputChannel("Attaché", { log: true }));
  const { version } = context.extension.packageJSON as { version: string };
  const sessions = new OwnSessions(context.workspaceState);
  const owns = (id: string): boolean => sessions.has(id);
  const terminals = own(new Terminals(owns));
  const serve: Serve = (method, params) =>
    method.startsWith("terminal/")
      ? terminals.serve(method, params)
      : serveFiles(method, params, owns);
  const hub = own(new Hub(launch, version, serve, sessions, log));
  own(
    hub.onState(({ kind }) => {
      if (kind !== "online") terminals.endAll();
    }),
  );
  const current = own(new CurrentSession(context.workspaceState));
  const files = vscode.Uri.joinPath(context.extensionUri, "dist", "page");
  const tabs = new KeptTabs(context.workspaceState, vscode.env.sessionId);
  const pages = own(new Pages(hub, current, files, tabs));
  const questions = own(new OpenQuestions(hub));
  const reviews = own(new Reviews(hub, current));
  const documents = own(new ReviewDocuments(reviews));
  own(new HunkLenses(reviews));
  const parts: Parts = { hub, launch, current, pages, questions, reviews, documents, log, files };
  own(new QuestionNotices(hub, questions, (asked) => void showQuestion(parts, asked)));
  own(vscode.window.registerTreeDataProvider("attache.sessions", own(new SessionsTree(hub))));
  own(vscode.window.registerTreeDataProvider("attache.changes", own(new ChangesTree(reviews))));
  register(own, log, {
    ...sessionCommands(parts),
    ...workCommands(parts),
    ...contextCommands(parts),
    ...hubCommands(parts),
    ...traceCommands(parts),
  });
  own(explain(hub));
  own(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("attache.path")) hub.connect();
    }),
  );
  hub.connect();
}

/** The settings are of the machine: a workspace cannot set them. */
function launch(): Launch {
  const settings = vscode.workspace.getConfiguration("attache");
  return {
    path: settings.get("path") || "attache",
    hub: settings.get("hub", ""),
    terminals: settings.get("terminals", true),
  };
}

function register(
  own: (part: vscode.Disposable) => unknown,
  log: vscode.LogOutputChannel,
  commands: Commands,
): void {
  for (const [name, run] of Object.entries(commands)) {
    const command = async (given?: unknown): Promise<void> => {
      try {
        await run(given);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        log.error(`${name}: ${why}`);
        void vscode.window.showErrorMessage(label(why));
      }
    };
    own(vscode.commands.registerCommand(`attache.${name}`, command));
  }
}

/** Says once why there is no connection, and what helps. */
function explain(hub: Hub): vscode.Disposable {
  let said = "";
  return hub.onState((state) => {
    void vscode.commands.executeCommand("setContext", "attache.state", state.kind);
    if (state.kind === "online") said = "";
    if (state.kind === "connecting" || state.kind === "online" || state.why === said) return;
    said = state.why;
    const fixes: Record<string, string> =
      state.kind === "missing"
        ? { "Set the Path": "attache.setPath", "Try Again": "attache.reconnect" }
        : { "Restart the Hub": "attache.restartHub", "Show the Log": "attache.showLog" };
    const text = `Attaché: ${label(state.why)}`;
    void vscode.window.showErrorMessage(text, ...Object.keys(fixes)).then((picked) => {
      const command = picked === undefined ? undefined : fixes[picked];
      if (command !== undefined) void vscode.commands.executeCommand(command);
    });
  });
}
