import type { Choice, QuestionView } from "../../../../crates/serve/types.ts";
import { label, linesOf, outputLines, plain } from "../text.ts";

/** The largest text that a notification shows. */
const MOST_SHOWN = 400;

/** The answers to choose from; empty for a question of an unknown kind. */
export function choicesOf({ about }: QuestionView): Choice[] {
  return about.type === "other" ? [] : about.choices;
}

/** What the question asks, in lines, as far as lines can show it. */
export function detailsOf({ about }: QuestionView): string[] {
  switch (about.type) {
    case "permission":
      return [
        plain(about.title),
        ...linesOf(about.stated),
        ...about.effect.map((line) => plain(line)),
        ...outputLines(about.outputs),
        plain(about.protected),
      ].filter((line) => line !== "");
    case "form":
      return [plain(about.title), ...linesOf(about.message), plain(about.description)];
    case "page":
      return [...linesOf(about.message), plain(about.address), ...about.warnings.map(plain)];
    case "other":
      return [];
  }
}

/** What a notification shows of a question. */
export interface Notice {
  text: string;
  /** The answers that it offers, by their index. */
  buttons: { title: string; choice: number }[];
}

/**
 * Returns what a notification shows. It offers to allow only what it shows as a whole: nobody
 * approves a change that is not shown. It always offers to reject.
 */
export function noticeOf(question: QuestionView): Notice {
  const details = detailsOf(question).filter((line) => line !== "");
  const whole = [plain(question.headline), ...details].join(" · ");
  const isShort = whole.length <= MOST_SHOWN;
  const text = label(isShort ? whole : `${whole.slice(0, MOST_SHOWN)}…`);
  if (question.about.type !== "permission") return { text, buttons: [] };
  const { outputs, choices, protected: guarded } = question.about;
  const isWhole = isShort && guarded === null && outputs.every((each) => each.type !== "diff");
  const buttons = choices.flatMap(({ action, label: words }, choice) => {
    const offered = action.type === "reject" || (action.type === "allow" && isWhole);
    return offered ? [{ title: plain(words), choice }] : [];
  });
  return { text, buttons };
}
