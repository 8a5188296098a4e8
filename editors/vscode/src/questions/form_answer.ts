import * as vscode from "vscode";
import type { FormField, FormView } from "../../../../crates/serve/types.ts";
import { label, linesOf, plain } from "../text.ts";

/** What a person gave for a field; `undefined` if the person left. */
type Given = { value: unknown } | undefined;

/** Asks for each field of a form. Returns `null` if the person leaves one. */
export async function fillForm(form: FormView): Promise<Record<string, unknown> | null> {
  const values: [string, unknown][] = [];
  const about = linesOf(form.message).join(" ");
  for (const [index, field] of form.fields.entries()) {
    const step = form.fields.length > 1 ? ` (${index + 1} of ${form.fields.length})` : "";
    const given = await ask(field, `${label(field.label)}${step}`, label(about));
    if (given === undefined) return null;
    if (given.value !== null) values.push([field.name, given.value]);
  }
  // Whatever the agent calls a field, also `__proto__`.
  return Object.fromEntries(values);
}

function ask(field: FormField, title: string, about: string): Thenable<Given> {
  const { kind } = field;
  const placeHolder = label(plain(field.description)) || about;
  const options = { title, placeHolder, ignoreFocusOut: true };
  if (kind.type === "choice") {
    const items = kind.choices.map((each) => ({ label: label(each.label), value: each.value }));
    return vscode.window.showQuickPick(items, options);
  }
  if (kind.type === "choices") return askSeveral(kind.choices, options);
  if (kind.type === "boolean") {
    const items = [
      { label: "Yes", value: true },
      { label: "No", value: false },
    ];
    return vscode.window.showQuickPick(items, options);
  }
  return askText(field, title, about);
}

async function askSeveral(
  choices: { label: FormField["label"]; value: string }[],
  options: vscode.QuickPickOptions,
): Promise<Given> {
  const items = choices.map((each) => ({ label: label(each.label), value: each.value }));
  const picked = await vscode.window.showQuickPick(items, { ...options, canPickMany: true });
  return picked && { value: picked.map((each) => each.value) };
}

async function askText(field: FormField, title: string, prompt: string): Promise<Given> {
  const { kind, required } = field;
  const isNumber = kind.type === "number" || kind.type === "integer";
  const suggested = field.default?.type === "text" ? field.default.value : "";
  const text = await vscode.window.showInputBox({
    title,
    prompt: [prompt, label(field.allowed)].filter(Boolean).join(" · "),
    value: suggested,
    ignoreFocusOut: true,
    validateInput: (typed) => {
      if (typed === "") return required ? "This field is required" : null;
      return isNumber && !isValid(typed, kind.type) ? "This is no number of this kind" : null;
    },
  });
  if (text === undefined) return undefined;
  if (text === "" && !required) return { value: null };
  return { value: isNumber ? Number(text) : text };
}

function isValid(typed: string, kind: "number" | "integer" | string): boolean {
  const number = Number(typed);
  return typed.trim() !== "" && (kind === "integer" ? Number.isInteger(number) : !isNaN(number));
}
