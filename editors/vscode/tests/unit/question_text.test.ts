import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionItem, PermissionView } from "../../../../crates/serve/types.ts";
import { answerListOf, named, noticeOf } from "../../src/questions/question_text.ts";
import { label, visible } from "../../src/text.ts";
import { line, permission } from "./permission_question.ts";

const buttons = (more: Partial<PermissionView>): number[] =>
  noticeOf(permission(more)).buttons.map(({ choice }) => choice);

test("a notification can allow what it shows as a whole, once", () => {
  assert.match(noticeOf(permission({})).text, /touch a/);
  assert.deepEqual(buttons({}), [0, 2]);
});

test("a title that only repeats the command is left out", () => {
  const about = { title: line("Run touch a"), effect: [line("$ touch a")] };
  assert.deepEqual(answerListOf(permission(about)).rows, ["$ touch a"]);
  const other = { ...about, title: line("Run touch b") };
  assert.deepEqual(answerListOf(permission(other)).rows, ["Run touch b", "$ touch a"]);
});

test("a notification cannot allow what it does not show, but can reject it", () => {
  assert.deepEqual(buttons({ effect: [line("x".repeat(1000))] }), [2]);
  assert.deepEqual(buttons({ outputs: [{ type: "diff", files: [] }] }), [2]);
  assert.deepEqual(buttons({ protected: line("a protected file") }), [2]);
});

test("a question names the folder of a terminal", () => {
  const omitted = 0;
  const terminal = {
    type: "terminal" as const,
    id: "t",
    command: line("make"),
    lines: [line("in /etc")],
    omitted,
    ended: [],
  };
  const { text } = noticeOf(permission({ outputs: [terminal] }));
  assert.match(text, /make · in \/etc/);
  assert.deepEqual(buttons({ outputs: [terminal] }), [0, 2]);
  assert.deepEqual(buttons({ outputs: [{ ...terminal, omitted: 1 }] }), [2]);
});

const answers = (more: Partial<PermissionView>): number[] =>
  answerListOf(permission(more)).answers.map(({ choice }) => choice);

test("a list of answers offers to allow only what its rows show as a whole", () => {
  assert.deepEqual(answerListOf(permission({})).rows, ["Run", "touch a"]);
  assert.deepEqual(answers({}), [0, 1, 2]);
  assert.deepEqual(answers({ effect: [line("x".repeat(1000))] }), [2]);
  assert.deepEqual(answers({ effect: Array.from({ length: 20 }, () => line("x")) }), [2]);
  assert.deepEqual(answers({ outputs: [{ type: "diff", files: [] }] }), [2]);
  assert.deepEqual(answers({ protected: line("a protected file") }), [2]);
  const { rows } = answerListOf(permission({ effect: [line("x".repeat(1000))] }));
  assert.equal(rows.at(-1), "…");
});

test("long lines go on in the next row, and wide letters take two columns", () => {
  const { rows } = answerListOf(permission({ effect: [line("x".repeat(41) + "漢".repeat(20))] }));
  const expected = ["x".repeat(40), `x${"漢".repeat(19)}`, "漢"];
  assert.deepEqual(rows, ["Run", ...expected]);
});

test("a list of answers offers a rule only if the rule fits in a row", () => {
  const rule = (meaning: string) => ({
    key: "s",
    reach: "session" as const,
    meaning: line(meaning),
    rule: line("touch"),
  });
  const always = (meaning: string) => [
    {
      key: "a",
      label: line("always"),
      action: { type: "allow_always" as const, rules: [rule(meaning)] },
    },
  ];
  assert.deepEqual(answers({ choices: always("touch") }), [0]);
  assert.deepEqual(answers({ choices: always("touch ".repeat(20)) }), []);
});

test("an item of the tree leads to its own question only", () => {
  const asked = { agent: "a", sessionId: "s", question: permission({}) };
  const item: AttentionItem = {
    agent: "a",
    session: "s",
    question: 1,
    title: line("A session"),
    line: line("asks"),
    reason: "question",
    since: null,
  };
  assert.equal(named([asked], item), asked);
  assert.equal(named([asked], { ...item, question: 2 }), undefined);
  assert.equal(named([asked], { ...item, session: null }), undefined);
});

test("text from outside becomes neither a picture nor a link", () => {
  assert.equal(label("$(check) [ok](command:x)"), "$ (check) [ok] (command:x)");
});

test("a label shows no picture, no link, and no text in another order", () => {
  const shown = label("$(check) [a](command:b)\x1b[2J\u202eb\n");
  assert.equal(shown, "$ (check) [a] (command:b)\ufffd[2J\ufffdb\n");
  const seen = visible("ls\r\b> id\n\x7f\x9b\u2066");
  assert.equal(seen, "ls\u240d\u2408> id\u240a\u2421\ufffd\ufffd");
});

test("a row is measured as it is shown", () => {
  const { rows } = answerListOf(permission({ effect: [line("$(".repeat(20))] }));
  assert.ok(rows.every((row) => label(row).length <= 40), JSON.stringify(rows));
});
