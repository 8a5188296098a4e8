import type { FileDiff, Hunk, ReviewedFile, ReviewedHunk } from "../../../../crates/serve/types.ts";
import { plain } from "../text.ts";

/** Where a hunk is in the text of a file. */
export interface HunkPlace {
  hunk: ReviewedHunk;
  /** The index of its first changed line, and of the line after its last one. */
  first: number;
  end: number;
}

/** The two texts of a change. */
export interface Sides {
  before: string;
  places: HunkPlace[];
  /** How many hunks are no longer in the text: it changed since. */
  lost: number;
}

/**
 * Lines of a diff are made visible for people: white space and characters that cannot be seen
 * differ.
 */
function comparable(line: string): string {
  return line.replace(/[\s\p{Cc}\p{Cf}\p{Variation_Selector}\u2400-\u2426\ufffd]+/gu, "");
}

function linesOf(hunk: Hunk, side: "removed" | "added"): string[] {
  const own = hunk.lines.filter((line) => line.change === "same" || line.change === side);
  return own.map((line) => plain(line.line));
}

/** Returns the index at which the lines are, the nearest to `expected`; `null` without one. */
function find(text: string[], lines: string[], expected: number): number | null {
  const wanted = lines.map(comparable);
  const isAt = (at: number): boolean =>
    at >= 0 && wanted.every((line, by) => text[at + by] === line);
  for (let by = 0; by <= text.length; by++) {
    if (isAt(expected - by)) return expected - by;
    if (isAt(expected + by)) return expected + by;
  }
  return null;
}

/** Tabs at the beginning of lines are spaces in a diff. */
function withTabs(lines: string[], around: string[]): string[] {
  if (!around.some((line) => line.startsWith("\t"))) return lines;
  return lines.map((line) =>
    line.replace(/^ +/, (spaces) => spaces.replaceAll("    ", "\t")),
  );
}

/**
 * Finds the hunks in the text that a file has now, and returns the text without them. A rejected
 * hunk is not in the text any more, and one whose lines changed since is lost.
 */
export function sides(now: string, { change, hunks }: ReviewedFile): Sides {
  const ending = now.includes("\r\n") ? "\r\n" : "\n";
  const text = now.split(/\r?\n/);
  const compared = text.map(comparable);
  const places: HunkPlace[] = [];
  const replaced: { at: number; length: number; lines: string[] }[] = [];
  let lost = 0;
  let shift = 0;
  for (const hunk of hunks) {
    const shown = change.hunks[hunk.index];
    if (shown === undefined || shown.lines.length === 0) continue;
    const [older, newer] = [linesOf(shown, "removed"), linesOf(shown, "added")];
    if (hunk.state === "rejected") {
      shift += older.length - newer.length;
      continue;
    }
    const at = find(compared, newer, Math.max(0, shown.new_start - 1 + shift));
    if (at === null) {
      lost++;
      continue;
    }
    const around = text.slice(at, at + newer.length);
    replaced.push({ at, length: newer.length, lines: before(shown, around, older) });
    places.push({ hunk, ...changedLines(shown, at) });
  }
  for (const { at, length, lines } of replaced.sort((a, b) => b.at - a.at)) {
    text.splice(at, length, ...lines);
  }
  return { before: text.join(ending), places, lost };
}

/** The lines before the hunk: unchanged ones as the file has them. */
function before(hunk: Hunk, around: string[], older: string[]): string[] {
  const removed = withTabs(older, around);
  const lines: string[] = [];
  let at = 0;
  for (const { change } of hunk.lines) {
    if (change === "same") lines.push(around[at] ?? "");
    if (change === "removed") lines.push(removed[lines.length] ?? "");
    if (change !== "removed") at++;
  }
  return lines;
}

function changedLines(hunk: Hunk, at: number): { first: number; end: number } {
  let [line, first, end] = [at, -1, at];
  for (const { change } of hunk.lines) {
    if (change !== "same") {
      if (first < 0) first = line;
      end = Math.max(end, change === "added" ? line + 1 : line);
    }
    if (change !== "removed") line++;
  }
  return { first: Math.max(first, 0), end };
}

/** The text of a file that was deleted, as far as the change shows it. */
export function deletedText(change: FileDiff): string {
  const lines = change.hunks.flatMap((hunk) => linesOf(hunk, "removed"));
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
