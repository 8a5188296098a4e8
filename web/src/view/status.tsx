import type { ContextLevel, ContextUse, Line } from "../../../crates/serve/types.ts";
import type { JSX } from "preact";
import { addressOf, attempt, may, panel } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { plain } from "../text.ts";
import { Ago } from "./ago.tsx";
import { Spans } from "./text.tsx";

const WARNINGS: Record<ContextLevel, string> = {
  normal: "",
  elevated: "The context fills up.",
  high: "The context is nearly full.",
  critical: "The context is full: compact it, or begin a new session.",
};

function Context({ context }: { context: ContextUse }): JSX.Element {
  const share = context.percent === null ? `${context.used} tokens` : `${context.percent} %`;
  const warning = WARNINGS[context.level];
  return (
    <span class={`context c-${context.level}`} title={warning || undefined}>
      {warning !== "" && <span aria-hidden="true">⚠ </span>}
      context {share}
      {warning !== "" && <span class="hidden">. {warning}</span>}
    </span>
  );
}

/** What to do when the session cannot go on. */
function GoOn({ session }: { session: ShownSession }): JSX.Element {
  const { agent, sessionId } = session;
  const disabled = !may("control");
  const goOn = async (): Promise<void> => {
    const opened = await attempt("_attache/continue", { agent, sessionId });
    if (opened !== null) location.hash = addressOf(opened.agent, opened.sessionId);
  };
  return (
    <span class="buttons">
      <button disabled={disabled} onClick={() => void attempt("_attache/restart", { agent })}>
        Restart the agent
      </button>
      <button disabled={disabled} onClick={() => void goOn()}>
        Continue in a new session
      </button>
    </span>
  );
}

/** What happens now, above the composer. */
export function ActivityLine({ session }: { session: ShownSession }): JSX.Element | null {
  void session.version.value;
  const { status, closed } = session.state;
  if (closed) {
    return (
      <div class="activity" role="status">
        <span class="r-error">
          <Spans line={closed} />
        </span>
        <GoOn session={session} />
      </div>
    );
  }
  if (status === null) return null;
  const { activity, warnings } = status;
  const hasLine = plain(activity.line) !== "";
  if (!hasLine && warnings.length === 0) return null;
  return (
    <div class={`activity a-${activity.kind}`}>
      {hasLine && (
        <span>
          <span class="dot" aria-hidden="true" /> <Spans line={activity.line} />
          {activity.since !== null && (
            <span class="muted">
              {" "}
              · <Ago since={activity.since} />
            </span>
          )}
        </span>
      )}
      {warnings.map((warning, index) => (
        <span key={index} class="r-warning">
          ⚠ <Spans line={warning} />
        </span>
      ))}
    </div>
  );
}

/** Model, mode, context and cost of the session. Opens its options. */
export function StatusBar({ session }: { session: ShownSession }): JSX.Element | null {
  void session.version.value;
  const { status } = session.state;
  if (status === null) return null;
  const parts = [status.agent, status.model, status.mode, status.thought_level];
  const known = parts.filter((line): line is Line => line !== null && plain(line) !== "");
  return (
    <button
      class="status"
      onClick={() => (panel.value = "options")}
      aria-haspopup="dialog"
    >
      <span class="hidden">Options: </span>
      {known.map((line, index) => (
        <span key={index}>
          <Spans line={line} />
        </span>
      ))}
      {status.context && <Context context={status.context} />}
      {status.costs.map((line, index) => (
        <span key={`cost ${index}`}>
          <Spans line={line} />
        </span>
      ))}
    </button>
  );
}
