import type * as vscode from "vscode";
import type { Launch } from "../hub/attach_process.ts";
import type { Hub } from "../hub/hub.ts";
import type { Pages } from "../pages/pages.ts";
import type { OpenQuestions } from "../questions/open_questions.ts";
import type { ReviewDocuments } from "../review/review_documents.ts";
import type { Reviews } from "../review/reviews.ts";
import type { CurrentSession } from "../sessions/current_session.ts";

/** What commands use. */
export interface Parts {
  hub: Hub;
  launch: () => Launch;
  current: CurrentSession;
  pages: Pages;
  questions: OpenQuestions;
  reviews: Reviews;
  documents: ReviewDocuments;
  log: vscode.LogOutputChannel;
  /** The files of the page. */
  files: vscode.Uri;
}

/** Commands by their name after `attache.`. They get the node of a tree if it called them. */
export type Commands = Record<string, (given?: unknown) => unknown>;
