import * as vscode from "vscode";
import type { ChangeNode } from "./changes_tree.ts";
import { sides, type HunkPlace } from "./hunk_places.ts";
import type { Reviews } from "./reviews.ts";

/** Marks open hunks in editors, with what the person can do about each. */
export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.addedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly subscription: vscode.Disposable;

  constructor(private readonly reviews: Reviews) {
    this.subscription = vscode.Disposable.from(
      this.mark,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      reviews.onChange(() => this.update()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.update()),
      vscode.workspace.onDidChangeTextDocument(() => this.update()),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.places(document).flatMap(({ node, place }) => {
      const at = new vscode.Range(place.first, 0, place.first, 0);
      const lens = (title: string, command: string): vscode.CodeLens =>
        new vscode.CodeLens(at, { title, command, arguments: [node] });
      return [
        lens("$(check) Accept", "attache.accept"),
        lens("$(discard) Reject…", "attache.reject"),
        lens("$(diff) Compare", "attache.openDiff"),
      ];
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private update(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const ranges = this.places(editor.document)
        .filter(({ place }) => place.end > place.first)
        .map(({ place }) => new vscode.Range(place.first, 0, place.end - 1, 0));
      editor.setDecorations(this.mark, ranges);
    }
    this.changed.fire();
  }

  private places(document: vscode.TextDocument): { node: ChangeNode; place: HunkPlace }[] {
    if (document.uri.scheme !== "file") return [];
    const files = this.reviews.value?.items.files ?? [];
    const file = files.find((each) => this.reviews.uri(each).path === document.uri.path);
    if (file === undefined || file.change.change === "deleted") return [];
    return sides(document.getText(), file)
      .places.filter(({ hunk }) => hunk.state === "open")
      .map((place) => ({ node: { kind: "hunk", file, hunk: place.hunk }, place }));
  }
}
