import * as vscode from "vscode";
import type { Hub } from "../hub/hub.ts";
import { plain } from "../text.ts";
import { answer, choose, sayAnswered } from "./answering.ts";
import { nameOf, type Asked, type OpenQuestions } from "./open_questions.ts";
import { noticeOf } from "./question_text.ts";

const MORE = "More…";
const SHOW = "Show";

/** The largest number of open questions with a notification at a time. */
const MOST = 5;

/**
 * Shows each new question once as a notification, a few at a time, and counts all in the status
 * bar.
 */
export class QuestionNotices implements vscode.Disposable {
  private readonly noticed = new Set<string>();
  /** The open questions whose notification was neither answered nor dismissed. */
  private readonly shown = new Set<string>();
  private readonly item: vscode.StatusBarItem;
  private readonly subscription: vscode.Disposable;

  constructor(
    readonly hub: Hub,
    readonly questions: OpenQuestions,
    private readonly show: (asked: Asked) => void,
  ) {
    this.item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left, 10);
    this.item.name = "Attaché";
    const changes = [questions.onChange(() => this.update()), hub.onState(() => this.update())];
    this.subscription = vscode.Disposable.from(this.item, ...changes);
    this.update();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private update(): void {
    const open = this.questions.all();
    this.count(open.length);
    const names = new Set(open.map(nameOf));
    for (const known of [this.noticed, this.shown]) {
      for (const name of known) if (!names.has(name)) known.delete(name);
    }
    for (const asked of open) {
      const name = nameOf(asked);
      if (this.noticed.has(name) || this.shown.size >= MOST) continue;
      this.noticed.add(name);
      if (this.concerns(asked)) void this.notify(asked);
    }
  }

  private count(open: number): void {
    void vscode.commands.executeCommand("setContext", "attache.questions", open);
    const isOnline = this.hub.state.kind === "online";
    const words = open === 1 ? "1 question" : `${open} questions`;
    this.item.text = open === 0 ? "$(sparkle) Attaché" : `$(question) Attaché: ${words}`;
    if (!isOnline) this.item.text = "$(debug-disconnect) Attaché";
    this.item.tooltip = open === 0 ? "Show the sessions" : `Answer: ${words} of agents`;
    if (!isOnline) this.item.tooltip = "Not connected to the hub";
    const isWaiting = open > 0 && isOnline;
    this.item.backgroundColor = isWaiting
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    this.item.command = isWaiting ? "attache.answer" : "attache.sessions.focus";
    this.item.show();
  }

  /** Whether the settings want a notification in this window. */
  private concerns({ agent, sessionId }: Asked): boolean {
    const wanted = vscode.workspace.getConfiguration("attache").get<string>("notifications");
    if (wanted !== "workspace" || sessionId === null) return wanted !== "off";
    const { sessions } = this.hub.view?.list ?? { sessions: [] };
    const found = sessions.find((item) => item.agent === agent && item.id === sessionId);
    const folder = plain(found?.folder);
    return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined;
  }

  private async notify(asked: Asked): Promise<void> {
    const { text, buttons } = noticeOf(asked.question);
    const titles = [...buttons.map(({ title }) => title), MORE, SHOW];
    this.shown.add(nameOf(asked));
    const picked = await vscode.window.showInformationMessage(text, ...titles);
    if (this.shown.delete(nameOf(asked))) this.update();
    // A notification that is dismissed leaves the question open.
    if (picked === undefined) return;
    if (!this.questions.isOpen(asked)) {
      sayAnswered();
      return;
    }
    const button = buttons.find(({ title }) => title === picked);
    if (button !== undefined) await choose(this, asked, button.choice);
    else if (picked === MORE) await answer(this, asked, () => this.show(asked));
    else this.show(asked);
  }
}
