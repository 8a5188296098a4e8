import assert from "node:assert/strict";
import { test } from "node:test";
import type { Line, PermissionView, QuestionView } from "../../../../crates/serve/types.ts";
import { noticeOf } from "../../src/questions/question_text.ts";
import { label } from "../../src/text.ts";

const line = (text: string): Line => [{ text, role: "text" }];

function permission(more: Partial<PermissionView>): QuestionView {
  const about: PermissionView = {
    title: line("Run"),
    kind: "execute",
    stated: [],
    effect: [line("touch a")],
    outputs: [],
    protected: null,
    covered: false,
    choices: [
      { key: "y", label: line("yes"), action: { type: "allow" } },
      { key: "a", label: line("always"), action: { type: "allow_always", rules: [] } },
      { key: "n", label: line("no"), action: { type: "reject" } },
    ],
    ...more,
  };
  const headline = line("a asks for permission");
  return { id: 1, asked_at: 0, headline, about: { type: "permission", ...about } };
}

const buttons = (more: Partial<PermissionView>): number[] =>
  noticeOf(permission(more)).buttons.map(({ choice }) => choice);

test("a notification can allow what it shows as a whole, once", () => {
  assert.match(noticeOf(permission({})).text, /touch a/);
  assert.deepEqual(buttons({}), [0, 2]);
});

test("a notification cannot allow what it does not show, but can reject it", () => {
  assert.deepEqual(buttons({ effect: [line("x".repeat(1000))] }), [2]);
  assert.deepEqual(buttons({ outputs: [{ type: "diff", files: [] }] }), [2]);
  assert.deepEqual(buttons({ protected: line("a protected file") }), [2]);
});

test("text from outside becomes neither a picture nor a link", () => {
  assert.equal(label("$(check) [ok](command:x)"), "$ (check) [ok] (command:x)");
});
