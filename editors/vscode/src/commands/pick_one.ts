import * as vscode from "vscode";

/**
 * Shows a list, and returns the item that the person chooses, if any. The list stays when a page
 * takes the focus.
 */
export function pickOne<T extends vscode.QuickPickItem>(
  items: readonly T[],
  options: vscode.QuickPickOptions,
): Thenable<T | undefined> {
  return vscode.window.showQuickPick(items, { ...options, ignoreFocusOut: true });
}
