import type { CallStatus, Output, ToolCallRow } from "../../../crates/serve/types.ts";
import type { JSX } from "preact";
import { attempt, may, say } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { count, duration, plain } from "../text.ts";
import { Blocks, copy } from "./blocks.tsx";
import { FileDiffView } from "./diff.tsx";
import { Fold } from "./fold.tsx";
import { CodeLines, Spans } from "./text.tsx";

const MARKS: Record<CallStatus, string> = {
  pending: "○",
  asking: "?",
  running: "◐",
  paused: "⏸",
  completed: "✓",
  failed: "✗",
  cancelled: "⊘",
};

/** The output of a tool call, or what a question shows of it. */
export function OutputView({ output }: { output: Output }): JSX.Element {
  switch (output.type) {
    case "text":
      return <Blocks blocks={output.blocks} />;
    case "diff":
      return (
        <>
          {output.files.map((file, index) => (
            <FileDiffView key={index} file={file} />
          ))}
        </>
      );
    case "terminal":
      return (
        <div class="terminal">
          <div class="code-head">
            <code class="command">
              <Spans line={output.command} />
            </code>
            <button class="quiet" onClick={() => copy(output.lines.map(plain).join("\n"))}>
              Copy
            </button>
          </div>
          {output.omitted > 0 && (
            <div class="muted">… {count(output.omitted, "earlier line")}</div>
          )}
          {output.lines.length > 0 && (
            <CodeLines lines={output.lines} label={`output of ${plain(output.command)}`} />
          )}
          {output.ended.length > 0 && (
            <div class="ended muted">
              <Spans line={output.ended} />
            </div>
          )}
        </div>
      );
  }
}

function Head(props: { call: ToolCallRow; at: number }): JSX.Element {
  const { call } = props;
  const lasted = call.ended_at === null ? 0 : call.ended_at - props.at;
  return (
    <>
      <span class={`mark s-${call.status}`} aria-hidden="true">
        {MARKS[call.status]}
      </span>
      <span class="hidden">{call.status}: </span>
      <span class="kind">{call.kind}</span> <Spans line={call.title} />
      {lasted >= 1000 && <span class="muted"> · {duration(lasted)}</span>}
    </>
  );
}

function sizeOf(output: Output): number {
  if (output.type === "terminal") return output.lines.length;
  if (output.type === "diff") return 0;
  return output.blocks.length;
}

/** A tool call: what it does, its state, the files, and its output. */
export function ToolCallView(props: {
  session: ShownSession;
  row: number;
  at: number;
  call: ToolCallRow;
}): JSX.Element {
  const { session, row } = props;
  const { agent, sessionId } = session;
  const whole = session.whole.get(row);
  const call = whole ?? props.call;
  const isCut = call.outputs.some((output) => output.type === "terminal" && output.omitted > 0);
  const readWhole = (): void => {
    session.readWhole(row).catch((error: Error) => say(error.message, true));
  };
  const hasOutput = call.outputs.length > 0;
  const isQuiet = call.quiet && call.status !== "failed";
  const isLong = call.outputs.reduce((sum, output) => sum + sizeOf(output), 0) > 0;
  return (
    <div class="call">
      <div class="call-head">
        <Head call={call} at={props.at} />
        {call.can_cancel && (
          <button
            class="quiet"
            disabled={!may("control")}
            onClick={() => void attempt("_attache/stop_call", { agent, sessionId, call: call.id })}
          >
            Stop this call
          </button>
        )}
      </div>
      {call.effect.length > 0 && <CodeLines lines={call.effect} label="what the call does" />}
      {call.places.length > 0 && (
        <div class="places">
          {call.places.map((place, index) => (
            <span key={index} class="place">
              <Spans line={place} />
            </span>
          ))}
        </div>
      )}
      {hasOutput && (
        <Fold
          session={session}
          name={`output ${row}`}
          open={!isQuiet && (!isLong || call.status !== "completed" || call.outputs.length < 3)}
          summary={<span class="muted">Output</span>}
        >
          {call.outputs.map((output, index) => (
            <OutputView key={index} output={output} />
          ))}
          {whole === undefined && (isCut || isQuiet) && (
            <button class="quiet" onClick={readWhole}>
              Show the whole output
            </button>
          )}
        </Fold>
      )}
    </div>
  );
}
