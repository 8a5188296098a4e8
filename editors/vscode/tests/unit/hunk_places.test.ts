import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  FileDiff,
  HunkState,
  LineChange,
  ReviewedFile,
} from "../../../../crates/serve/types.ts";
import { deletedText, sides } from "../../src/review/hunk_places.ts";

const CHANGES: Record<string, LineChange> = { " ": "same", "-": "removed", "+": "added" };

/** A change from hunks like `"12: a|-b|+c"`: the first line, then the lines. */
function reviewed(...hunks: [string, HunkState][]): ReviewedFile {
  const change: FileDiff = {
    path: [{ text: "a.rs", role: "path" }],
    from: null,
    change: "changed",
    added: 0,
    removed: 0,
    note: null,
    hunks: hunks.map(([hunk]) => {
      const [start = "", lines = ""] = hunk.split(/:(.*)/s);
      return {
        old_start: Number(start),
        new_start: Number(start),
        lines: lines.split("|").map((line) => ({
          change: CHANGES[line[0] ?? ""] ?? "same",
          line: [{ text: line.slice(1), role: "code" as const }],
        })),
      };
    }),
  };
  const of = ([, state]: [string, HunkState], index: number) => ({
    id: `h${index}`,
    index,
    state,
    comment: "",
  });
  return { change, hunks: hunks.map(of) };
}

test("open and accepted hunks are taken out of the text", () => {
  const file = reviewed(["1: a|-b|+B", "open"], ["4: d|+e", "accepted"]);
  const { before, places, lost } = sides("a\nB\nc\nd\ne\n", file);
  assert.equal(before, "a\nb\nc\nd\n");
  assert.deepEqual(places.map(({ first, end }) => [first, end]), [[1, 2], [4, 5]]);
  assert.equal(lost, 0);
});

test("a rejected hunk is no longer in the text, and moves the ones after it", () => {
  const file = reviewed(["1:+x|+y| a", "rejected"], ["5:-b|+B| c", "open"]);
  const { before, places } = sides("a\nq\nB\nc\nB\nc\n", file);
  assert.equal(before, "a\nq\nb\nc\nB\nc\n");
  assert.deepEqual(places.map(({ first }) => first), [2]);
});

test("a hunk whose lines changed since is lost, and the text stays", () => {
  const { before, places, lost } = sides("a\nother\n", reviewed(["1: a|-b|+B", "open"]));
  assert.deepEqual([before, places, lost], ["a\nother\n", [], 1]);
});

test("tabs and line endings are those of the file", () => {
  const file = reviewed(["1: f {|-    b;|+    B;| }", "open"]);
  assert.equal(sides("f {\r\n\tB;\r\n}\r\n", file).before, "f {\r\n\tb;\r\n}\r\n");
});

test("the place of removed lines is the line after them", () => {
  const { places } = sides("a\nc\n", reviewed(["1: a|-b| c", "open"]));
  assert.deepEqual(places.map(({ first, end }) => [first, end]), [[1, 1]]);
});

test("a deleted file has the text of its removed lines", () => {
  assert.equal(deletedText(reviewed(["1:-a|-b", "open"]).change), "a\nb\n");
});
