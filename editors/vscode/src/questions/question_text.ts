import type {
  AttentionItem,
  Choice,
  ChoiceAction,
  Output,
  PermissionView,
  QuestionView,
} from "../../../../crates/serve/types.ts";
import { label, linesOf, outputLines, plain } from "../text.ts";
import type { Asked } from "./open_questions.ts";

/** The largest text that counts as short. */
const MOST_SHOWN = 400;

/** The columns of a row in a list: VS Code cuts what is wider, and letters differ in width. */
const COLUMNS = 40;

/** The most rows in a list above its answers. */
const MOST_ROWS = 8;

/** The answers to choose from; empty for a question of an unknown kind. */
export function choicesOf({ about }: QuestionView): Choice[] {
  return about.type === "other" ? [] : about.choices;
}

/** What the question asks, in lines, as far as lines can show it. */
export function detailsOf({ about }: QuestionView): string[] {
  return linesAbout(about).filter((line) => line !== "");
}

function linesAbout(about: QuestionView["about"]): string[] {
  switch (about.type) {
    case "permission":
      return [
        titleOf(about),
        ...linesOf(about.stated),
        ...about.effect.map((line) => plain(line)),
        ...outputLines(about.outputs),
        plain(about.protected),
      ];
    case "form":
      return [plain(about.title), ...linesOf(about.message), plain(about.description)];
    case "page":
      return [...linesOf(about.message), plain(about.address), ...about.warnings.map(plain)];
    case "other":
      return [];
  }
}

/** The title of a call; empty if it only repeats the command that is shown after it. */
function titleOf({ title, effect }: PermissionView): string {
  const words = plain(title);
  return effect.some((line) => plain(line) === words.replace(/^Run /, "$ ")) ? "" : words;
}

/** Returns the question that an item of the list names; `undefined` if it is not open. */
export function named(open: Asked[], item: AttentionItem): Asked | undefined {
  return open.find(
    ({ agent, sessionId, question }) =>
      agent === item.agent && sessionId === item.session && question.id === item.question,
  );
}

/** What a notification shows of a question. */
export interface Notice {
  text: string;
  /** The answers that it offers, by their index. */
  buttons: { title: string; choice: number }[];
}

/** Returns what a notification shows. See {@link isShort} for what it offers. */
export function noticeOf(question: QuestionView): Notice {
  const whole = wholeText(question);
  const isWhole = isShort(question);
  const text = label(whole.length <= MOST_SHOWN ? whole : `${whole.slice(0, MOST_SHOWN)}…`);
  if (question.about.type !== "permission") return { text, buttons: [] };
  const buttons = question.about.choices.flatMap(({ action, label: words }, choice) => {
    const offered = action.type === "reject" || (action.type === "allow" && isWhole);
    return offered ? [{ title: label(words), choice }] : [];
  });
  return { text, buttons };
}

/** What a list of answers shows of a question. */
export interface AnswerList {
  /** What the question asks, in rows that are not cut. */
  rows: string[];
  /** The answers that it offers, by their index. */
  answers: { title: string; key: string; choice: number }[];
}

/** Returns what a list of answers shows. See {@link isShort} for what it offers. */
export function answerListOf(question: QuestionView): AnswerList {
  // A label can be longer than its text.
  const all = detailsOf(question).flatMap((line) => rowsOf(label(line)));
  const isWhole = isShort(question) && all.length <= MOST_ROWS;
  const rows = isWhole ? all : [...all.slice(0, MOST_ROWS), "…"];
  const answers = choicesOf(question).flatMap(({ action, key, label: words }, choice) => {
    const offered = allowsNothing(action) || (isWhole && fits(action));
    return offered ? [{ title: plain(words), key, choice }] : [];
  });
  return { rows, answers };
}

/**
 * Whether a short text shows all of the question. Only then a place that shows just this text
 * offers to allow: nobody approves what is not shown. It always offers to reject.
 */
function isShort(question: QuestionView): boolean {
  const { about } = question;
  if (about.type === "other" || wholeText(question).length > MOST_SHOWN) return false;
  if (about.type !== "permission") return true;
  return about.protected === null && about.outputs.every(hasAllLines);
}

/** Whether {@link detailsOf} shows all of the output. */
function hasAllLines(output: Output): boolean {
  return output.type === "terminal" ? output.omitted === 0 : output.type === "text";
}

function wholeText(question: QuestionView): string {
  return [plain(question.headline), ...detailsOf(question)].join(" · ");
}

function allowsNothing({ type }: ChoiceAction): boolean {
  return ["reject", "reject_always", "reject_and_say", "decline", "cancel"].includes(type);
}

/** Whether the list of rules that follows shows each rule as a whole. */
function fits(action: ChoiceAction): boolean {
  if (action.type !== "allow_always") return true;
  const lines = action.rules.flatMap(({ meaning, rule }) => [label(meaning), label(rule)]);
  return lines.every((line) => rowsOf(line).length <= 1);
}

/** Breaks a line into rows that a list shows as a whole. */
function rowsOf(line: string): string[] {
  const rows: string[] = [];
  let row = "";
  let columns = 0;
  for (const character of line) {
    const width = character <= "~" ? 1 : 2;
    if (columns + width > COLUMNS) {
      rows.push(row);
      row = "";
      columns = 0;
    }
    row += character;
    columns += width;
  }
  return row === "" ? rows : [...rows, row];
}
