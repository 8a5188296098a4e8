import * as vscode from "vscode";
import { openTracePage } from "../pages/trace_page.ts";
import type { Commands, Parts } from "./parts.ts";
import { targetOf } from "./pick_session.ts";

/** The commands about the messages between the hub and agents. */
export function traceCommands({ hub, current, files }: Parts): Commands {
  return {
    openTrace: async (given) => {
      const title = "Open a Trace";
      const recordings =
        given instanceof vscode.Uri
          ? [given]
          : await vscode.window.showOpenDialog({ title, canSelectMany: true });
      if (recordings !== undefined && recordings.length > 0) {
        openTracePage(hub, files, { recordings });
      }
    },
    watchAgent: async (node) => {
      const of = await targetOf(node, hub, current);
      if (of !== null) openTracePage(hub, files, { agent: of.agent });
    },
  };
}
