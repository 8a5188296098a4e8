import * as vscode from "vscode";
import type { HubChanged, OfSession, QuestionView } from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import { keyOf } from "../hub/session_name.ts";

/** An open question, and where it was asked. */
export interface Asked {
  agent: string;
  /** `null` if the question belongs to no session, such as one of a login. */
  sessionId: string | null;
  question: QuestionView;
}

/** Names a question. */
export function nameOf({ agent, sessionId, question }: Asked): string {
  return JSON.stringify([agent, sessionId, question.id, question.asked_at]);
}

interface Asking {
  of: OfSession;
  questions: QuestionView[];
  watch: vscode.Disposable;
}

/** All open questions of the hub. It follows each session that asks, as long as it asks. */
export class OpenQuestions implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onChange = this.changed.event;
  private readonly asking = new Map<string, Asking>();
  private readonly subscription: vscode.Disposable;

  constructor(private readonly hub: Hub) {
    this.subscription = vscode.Disposable.from(
      hub.onChange((change) => this.follow(change)),
      hub.onState(({ kind }) => {
        if (kind !== "online") this.forget();
      }),
    );
  }

  /** The questions, those of sessions first. */
  all(): Asked[] {
    const inSessions = [...this.asking.values()].flatMap(({ of, questions }) =>
      questions.map((question) => ({ ...of, question })),
    );
    const others = this.hub.state.kind === "online" ? (this.hub.view?.questions ?? []) : [];
    return [...inSessions, ...others.map((each) => ({ ...each, sessionId: null }))];
  }

  /** Whether this same question is still open, and not another one with its number. */
  isOpen(asked: Asked): boolean {
    const name = nameOf(asked);
    return this.all().some((open) => nameOf(open) === name);
  }

  dispose(): void {
    this.forget();
    this.subscription.dispose();
    this.changed.dispose();
  }

  private follow({ list }: HubChanged): void {
    const wanted = new Map<string, OfSession>();
    for (const { agent, session, question } of list.attention) {
      if (session === null || question === null) continue;
      const of = { agent, sessionId: session };
      wanted.set(keyOf(of), of);
    }
    for (const [key, { watch }] of this.asking) {
      if (wanted.has(key)) continue;
      watch.dispose();
      this.asking.delete(key);
    }
    for (const [key, of] of wanted) {
      if (!this.asking.has(key)) this.begin(key, of);
    }
    this.changed.fire();
  }

  private begin(key: string, of: OfSession): void {
    const watch = this.hub.follow(of, (change) => {
      if (!change.questions) return;
      asking.questions = change.questions;
      this.changed.fire();
    });
    const asking: Asking = { of, questions: [], watch };
    this.asking.set(key, asking);
  }

  private forget(): void {
    for (const { watch } of this.asking.values()) watch.dispose();
    this.asking.clear();
    this.changed.fire();
  }
}
