import * as vscode from "vscode";
import { label } from "../text.ts";
import type { Commands, Parts } from "./parts.ts";

/** The commands that add what an editor shows to the next prompt. */
export function contextCommands({ pages }: Parts): Commands {
  return {
    addFile: async (given) => {
      const active = vscode.window.activeTextEditor?.document.uri;
      const uri = given instanceof vscode.Uri ? given : active;
      if (uri === undefined) return;
      const path = vscode.workspace.asRelativePath(uri, false);
      await pages.insert(`@${path} `, [path]);
    },
    addSelection: async () => {
      const editor = vscode.window.activeTextEditor;
      if (editor === undefined) return;
      const { document, selection } = editor;
      if (selection.isEmpty) {
        void vscode.window.showInformationMessage("Select the text to add first.");
        return;
      }
      const path = vscode.workspace.asRelativePath(document.uri, false);
      const lines = selectedLines(selection);
      const text = document.getText(selection);
      const quoted = fenced(text, document.languageId);
      await pages.insert(`@${path} lines ${lines}:\n${quoted}\n`, [path]);
    },
    addProblems: async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document === undefined) return;
      const path = vscode.workspace.asRelativePath(document.uri, false);
      const problems = vscode.languages.getDiagnostics(document.uri).map(problem);
      if (problems.length === 0) {
        void vscode.window.showInformationMessage(`${label(path)} has no problems.`);
        return;
      }
      await pages.insert(`Problems of @${path}:\n${problems.join("\n")}\n`, [path]);
    },
  };
}

/** The numbers of the selected lines, such as `3-5`. The selection may end where a line begins. */
function selectedLines({ start, end }: vscode.Selection): string {
  const last = end.character === 0 ? end.line : end.line + 1;
  return `${start.line + 1}-${Math.max(last, start.line + 1)}`;
}

const SEVERITIES = ["error", "warning", "information", "hint"];

function problem({ range, severity, message }: vscode.Diagnostic): string {
  return `- line ${range.start.line + 1}: ${SEVERITIES[severity]}: ${message}`;
}

/** Puts text into a block of code whose fence is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
