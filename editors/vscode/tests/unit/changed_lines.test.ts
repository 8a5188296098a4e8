import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../../src/editor/changed_lines.ts";

/** Replaces the lines, as an editor does. */
function apply(before: string, after: string): string {
  const { first, end, text } = changedLines(before, after);
  const lines = before.split("\n");
  const start = lines.slice(0, first).map((line) => `${line}\n`).join("");
  const rest = end === null ? "" : lines.slice(end).join("\n");
  return start + text + rest;
}

test("replacing the changed lines gives the other text", () => {
  const short = ["", "a", "a\n", "a\nb", "a\nb\n", "b\na\n", "a\na\n", "\n\n"];
  const texts = [...short, "a\nb\nc\n", "c\nb\na"];
  for (const before of texts) {
    for (const after of texts) assert.equal(apply(before, after), after);
  }
});

test("only lines that differ are replaced", () => {
  assert.deepEqual(changedLines("a\nb\nc\n", "a\nx\nc\n"), { first: 1, end: 2, text: "x\n" });
  assert.deepEqual(changedLines("a\r\nb\r\nc\r\n", "a\nb\nd\nc\n").text, "d\n");
});
