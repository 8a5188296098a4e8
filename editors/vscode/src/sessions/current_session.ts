import * as vscode from "vscode";
import type { OfSession } from "../../../../crates/serve/types.ts";
import { keyOf } from "../hub/session_name.ts";

const KEY = "attache.session";

/** The session that commands mean: the one that was shown last in this window. */
export class CurrentSession implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<OfSession | null>();
  readonly onChange = this.changed.event;
  private of: OfSession | null;

  constructor(private readonly memento: vscode.Memento) {
    this.of = memento.get<OfSession | null>(KEY, null);
  }

  get value(): OfSession | null {
    return this.of;
  }

  set(of: OfSession | null): void {
    const isSame = of !== null && this.of !== null && keyOf(of) === keyOf(this.of);
    if (isSame || of === this.of) return;
    this.of = of;
    void this.memento.update(KEY, of);
    this.changed.fire(of);
  }

  dispose(): void {
    this.changed.dispose();
  }
}
