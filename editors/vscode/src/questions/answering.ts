import * as vscode from "vscode";
import type { Choice, QuestionAnswer } from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import { label, plain } from "../text.ts";
import { fillForm } from "./form_answer.ts";
import type { Asked } from "./open_questions.ts";
import { answerListOf, choicesOf } from "./question_text.ts";

const SHOW_WHOLE = "Show the whole question";

/** An item of the list of answers. Those with the choice -1 show the question. */
type Item = vscode.QuickPickItem & { choice: number };

/** Says that a question is not open any more. */
export function sayAnswered(): void {
  void vscode.window.showInformationMessage("This question was answered already.");
}

/** How a question is answered. */
export interface Answering {
  hub: Hub;
  questions: { isOpen(asked: Asked): boolean };
}

/** Gives the answer with this index. */
export async function choose(parts: Answering, asked: Asked, choice: number): Promise<void> {
  await give(parts, asked, { type: "choose", choice, rule: null, why: null });
}

/**
 * Asks the person, and gives the answer. A person who leaves leaves the question open: nothing but
 * a chosen answer allows anything. `show` shows the question where all of it can be seen. The list
 * itself offers to allow only what it shows as a whole.
 */
export async function answer(
  parts: Answering,
  asked: Asked,
  show: () => void,
): Promise<void> {
  const { question } = asked;
  const { rows, answers } = answerListOf(question);
  const separator = (title: string): Item => {
    return { label: title, kind: vscode.QuickPickItemKind.Separator, choice: -1 };
  };
  const items: Item[] = [
    ...rows.map((row) => ({ label: label(row), choice: -1 })),
    separator("answers"),
    ...answers.map(({ title, key, choice }) => ({
      label: label(title),
      description: label(key),
      choice,
    })),
    separator(""),
    { label: SHOW_WHOLE, choice: -1 },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: label(question.headline),
    placeHolder: "Choose an answer",
    ignoreFocusOut: true,
  });
  if (picked === undefined) return;
  const choice = choicesOf(question)[picked.choice];
  if (choice === undefined) return show();
  const given = await complete(asked, choice, picked.choice);
  if (given !== null) await give(parts, asked, given);
}

/** Asks for what the choice needs besides itself. Returns `null` if the person leaves. */
async function complete(
  { question }: Asked,
  { action }: Choice,
  choice: number,
): Promise<QuestionAnswer | null> {
  if (action.type === "accept" && question.about.type === "form") {
    const values = await fillForm(question.about);
    return values && { type: "fill", values };
  }
  if (action.type === "allow_always" || action.type === "reject_always") {
    const rules = action.rules.map(({ meaning, rule }, index) => ({
      label: label(meaning),
      detail: label(rule),
      index,
    }));
    const picked = await vscode.window.showQuickPick(rules, {
      title: "Where the rule applies",
      ignoreFocusOut: true,
    });
    return picked ? { type: "choose", choice, rule: picked.index, why: null } : null;
  }
  if (action.type === "reject_and_say") {
    const why = await vscode.window.showInputBox({
      title: "Reject, and say why",
      prompt: "The text becomes the next prompt.",
      ignoreFocusOut: true,
    });
    return why === undefined ? null : { type: "choose", choice, rule: null, why };
  }
  return { type: "choose", choice, rule: null, why: null };
}

async function give(
  { hub, questions }: Answering,
  asked: Asked,
  given: QuestionAnswer,
): Promise<void> {
  // A hub that was started again counts its questions from the beginning.
  if (!questions.isOpen(asked)) return sayAnswered();
  const { agent, sessionId, question } = asked;
  try {
    await hub.call("_attache/answer", { agent, sessionId, question: question.id, answer: given });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    void vscode.window.showWarningMessage(`${label(plain(question.headline))}: ${label(why)}`);
  }
}
