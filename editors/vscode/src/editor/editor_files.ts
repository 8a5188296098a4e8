import * as vscode from "vscode";
import { Refusal } from "../hub/window_peer.ts";
import { changedLines } from "./changed_lines.ts";

interface ReadParams {
  sessionId: string;
  path: string;
  line?: number | null;
  limit?: number | null;
}

interface WriteParams {
  sessionId: string;
  path: string;
  content: string;
}

const NOT_FOUND = -32002;
const NOT_SUPPORTED = -32601;

/**
 * Serves the files that are open in this window to the agents of sessions that it created. The hub
 * has checked the permission for each call. Files that are not open are left to the hub, which
 * reads and writes them on disk.
 */
export async function serveFiles(
  method: string,
  params: unknown,
  owns: (session: string) => boolean,
): Promise<unknown> {
  const isFile = method === "fs/read_text_file" || method === "fs/write_text_file";
  if (!isFile) throw new Refusal(NOT_SUPPORTED, `this window does not serve ${method}`);
  const { sessionId, path } = params as ReadParams;
  const document = owns(sessionId) ? openDocument(path) : undefined;
  if (document === undefined) throw new Refusal(NOT_FOUND, `${path} is not open in this window`);
  if (method === "fs/read_text_file") return { content: lines(document, params as ReadParams) };
  await replace(document, (params as WriteParams).content);
  return {};
}

function openDocument(path: string): vscode.TextDocument | undefined {
  const { path: wanted } = vscode.Uri.file(path);
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => uri.scheme === "file" && uri.path === wanted && !isClosed,
  );
}

function lines(document: vscode.TextDocument, { line, limit }: ReadParams): string {
  if (line == null && limit == null) return document.getText();
  const first = Math.max(0, (line ?? 1) - 1);
  const end = limit == null ? document.lineCount : Math.min(document.lineCount, first + limit);
  return document.getText(new vscode.Range(first, 0, end, 0));
}

/** Replaces the text as one step of undo, and saves it, because commands of the agent read it. */
async function replace(document: vscode.TextDocument, content: string): Promise<void> {
  const { first, end, text } = changedLines(document.getText(), content);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(first, 0, end ?? document.lineCount, 0), text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Refusal(NOT_FOUND, `the editor did not take the text of ${document.uri.fsPath}`);
  }
  if (!(await document.save())) {
    throw new Refusal(NOT_FOUND, `the editor did not save ${document.uri.fsPath}`);
  }
}
