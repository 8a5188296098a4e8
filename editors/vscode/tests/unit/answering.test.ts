import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormView } from "../../../../crates/serve/types.ts";
import type { Hub } from "../../src/hub/hub.ts";
import { line, permission } from "./permission_question.ts";
import { asked, picks } from "./vscode_stub.ts";

const { answer } = await import("../../src/questions/answering.ts");
const { fillForm } = await import("../../src/questions/form_answer.ts");

const question = permission({});

test("an answer never reaches another question with the same number", async () => {
  const calls: unknown[] = [];
  const hub = { call: async (...call: unknown[]) => void calls.push(call) } as unknown as Hub;
  for (const isOpen of [true, false]) {
    picks.push({ label: "yes" });
    const of = { agent: "a", sessionId: "s", question };
    await answer({ hub, questions: { isOpen: () => isOpen } }, of, () => {});
  }
  assert.equal(calls.length, 1);
  assert.match(asked.at(-1)?.text ?? "", /answered already/);
});

test("a field of a form keeps its name, whatever it is", async () => {
  const kind = { type: "boolean" };
  const field = { name: "__proto__", label: line("A"), description: null, kind, required: true };
  picks.push({ label: "Yes" });
  const form = { message: [], fields: [field] } as unknown as FormView;
  assert.equal(JSON.stringify(await fillForm(form)), '{"__proto__":true}');
});
