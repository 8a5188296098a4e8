import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { hubArguments } from "../hub/attach_process.ts";
import { label } from "../text.ts";
import type { Commands, Parts } from "./parts.ts";

/** The commands about the hub itself. */
export function hubCommands({ hub, launch, log }: Parts): Commands {
  return {
    reconnect: () => hub.connect(),
    showLog: () => log.show(),
    setPath: () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "attache.path"),
    restartHub: () => {
      const title = "Restarting the hub: it waits until no turn runs";
      const location = vscode.ProgressLocation.Notification;
      return vscode.window.withProgress({ location, title, cancellable: true }, (_, token) =>
        restart(launch(), log, token),
      );
    },
  };
}

async function restart(
  launch: ReturnType<Parts["launch"]>,
  log: vscode.LogOutputChannel,
  token: vscode.CancellationToken,
): Promise<void> {
  const cancelled = new AbortController();
  const listening = token.onCancellationRequested(() => cancelled.abort());
  const given = ["serve", "restart", ...hubArguments(launch)];
  try {
    const { stdout } = await promisify(execFile)(launch.path, given, { signal: cancelled.signal });
    log.info(stdout.trim());
  } catch (error) {
    if (cancelled.signal.aborted) return;
    const { stderr } = error as { stderr?: string };
    void vscode.window.showErrorMessage(label(stderr?.trim() || String(error)));
  } finally {
    listening.dispose();
  }
}
