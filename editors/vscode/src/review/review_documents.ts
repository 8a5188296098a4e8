import * as vscode from "vscode";
import type { ReviewedFile } from "../../../../crates/serve/types.ts";
import { label } from "../text.ts";
import type { ChangeNode } from "./changes_tree.ts";
import { deletedText, sides } from "./hunk_places.ts";
import type { Reviews } from "./reviews.ts";

/** The scheme of texts before the changes of a session. */
export const BEFORE = "attache-before";
/** The scheme of the empty text of files that do not exist. */
const NONE = "attache-none";

/** The texts before the changes, for diffs. They follow the review and the open files. */
export class ReviewDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly reviews: Reviews) {
    this.subscription = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(BEFORE, this),
      vscode.workspace.registerTextDocumentContentProvider(NONE, {
        provideTextDocumentContent: () => "",
      }),
      reviews.onChange(() => this.renew()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === "file") this.renew(document.uri.path);
      }),
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const file = this.find(uri.path);
    if (file === null) return "";
    if (file.change.change === "deleted") return deletedText(file.change);
    if (file.change.change === "created") return "";
    return sides(await text(this.reviews.uri(file)), file).before;
  }

  /** Shows the change of one file, at its hunk if one is named. */
  async open(node: ChangeNode): Promise<void> {
    if (node.kind === "note") return;
    const [, before, after] = this.resources(node.file);
    const options: vscode.TextDocumentShowOptions = { preview: true };
    if (node.kind === "hunk" && after.scheme === "file") {
      const { places } = sides(await text(after), node.file);
      const place = places.find(({ hunk }) => hunk.id === node.hunk.id);
      if (place) options.selection = new vscode.Range(place.first, 0, place.first, 0);
    }
    const title = `${label(node.file.change.path)} (changes of the session)`;
    await vscode.commands.executeCommand("vscode.diff", before, after, title, options);
  }

  /** Shows the changes of all files in one editor. */
  async openAll(): Promise<void> {
    const files = this.reviews.value?.items.files ?? [];
    const resources = files.map((file) => this.resources(file));
    await vscode.commands.executeCommand("vscode.changes", "Changes of the Session", resources);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private resources(file: ReviewedFile): [vscode.Uri, vscode.Uri, vscode.Uri] {
    const uri = this.reviews.uri(file);
    const isDeleted = file.change.change === "deleted";
    return [uri, uri.with({ scheme: BEFORE }), isDeleted ? uri.with({ scheme: NONE }) : uri];
  }

  private find(path: string): ReviewedFile | null {
    const files = this.reviews.value?.items.files ?? [];
    return files.find((file) => this.reviews.uri(file).path === path) ?? null;
  }

  private renew(path?: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === BEFORE && (path === undefined || uri.path === path)) {
        this.changed.fire(uri);
      }
    }
  }
}

/** The text of a file as its editor shows it, or else as it is on disk; empty without one. */
async function text(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find(
    (each) => each.uri.path === uri.path && each.uri.scheme === "file",
  );
  if (open !== undefined) return open.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return "";
  }
}
