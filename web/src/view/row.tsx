import type { NoticeLevel, PlanRow, Row, StepState } from "../../../crates/serve/types.ts";
import { Component, type ComponentChildren, type JSX } from "preact";
import { addressOf } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { clock } from "../text.ts";
import { Blocks } from "./blocks.tsx";
import { Fold } from "./fold.tsx";
import { Spans } from "./text.tsx";
import { ToolCallView } from "./tool_call.tsx";

const STEPS: Record<StepState, [mark: string, word: string]> = {
  pending: ["○", "to do"],
  running: ["◐", "in progress"],
  done: ["✓", "done"],
  cancelled: ["⊘", "cancelled"],
};
const NOTICES: Record<NoticeLevel, string> = { info: "Note", warning: "Warning", error: "Error" };

function Plan({ plan }: { plan: PlanRow }): JSX.Element {
  if (plan.form === "dropped") return <p class="muted">The agent dropped the plan.</p>;
  if (plan.form === "text") return <Blocks blocks={plan.blocks} />;
  if (plan.form === "file") {
    return (
      <p>
        Plan: <Spans line={plan.line} />
      </p>
    );
  }
  const done = plan.steps.filter((step) => step.state === "done").length;
  return (
    <div class="plan">
      <div class="label">
        Plan · {done} of {plan.steps.length} done
      </div>
      <ol>
        {plan.steps.map((step, index) => (
          <li key={index} class={`step-${step.state}`}>
            <span class="mark" aria-hidden="true">
              {STEPS[step.state][0]}
            </span>
            <span class="hidden">{STEPS[step.state][1]}: </span>
            <span class={step.important ? "strong" : ""}>
              <Spans line={step.line} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function content(row: Row, session: ShownSession): ComponentChildren {
  const { content } = row;
  switch (content.type) {
    case "prompt":
      return (
        <div class="prompt">
          <div class="label">
            You <time class="muted">{clock(row.at)}</time>
          </div>
          <Blocks blocks={content.blocks} />
        </div>
      );
    case "answer":
      return <Blocks blocks={content.blocks} />;
    case "thought":
      return (
        <Fold session={session} name={`thought ${row.id}`} open={false} summary="Thought">
          <div class="thought">
            <Blocks blocks={content.blocks} />
          </div>
        </Fold>
      );
    case "tool_call":
      return <ToolCallView session={session} row={row.id} at={row.at} call={content} />;
    case "plan":
      return <Plan plan={content} />;
    case "notice":
      return (
        <div class={`notice n-${content.level}`}>
          <div class="label">{NOTICES[content.level]}</div>
          <Blocks blocks={content.blocks} />
        </div>
      );
    case "compaction":
      if (content.summary.length === 0) return <Spans line={content.line} />;
      return (
        <Fold
          session={session}
          name={`summary ${row.id}`}
          open={false}
          summary={<Spans line={content.line} />}
        >
          <Blocks blocks={content.summary} />
        </Fold>
      );
    case "subagent":
      return (
        <a class="subagent" href={addressOf(session.agent, content.session)}>
          Subagent: <Spans line={content.line} /> <Spans line={content.status} />
        </a>
      );
    case "other":
      return (
        <p class="muted">
          <Spans line={content.line} />
        </p>
      );
  }
}

/** Whether a row shows anything. */
export function isVisible(row: Row | undefined): boolean {
  return row?.content.type !== "other" || row.content.line.length > 0;
}

interface RowProps {
  row: Row;
  session: ShownSession;
  count: number;
  isFound: boolean;
}

/** A row of a conversation. It is drawn again only if it is another object. */
export class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, count, isFound } = this.props;
    return next.row !== row || next.count !== count || next.isFound !== isFound;
  }

  override render(): JSX.Element | null {
    const { row, session, count, isFound } = this.props;
    if (!isVisible(row)) return null;
    const names = ["row", `row-${row.content.type}`];
    if (row.depth > 0) names.push(`depth-${Math.min(row.depth, 8)}`);
    if (isFound) names.push("found");
    return (
      <article class={names.join(" ")} aria-posinset={row.id + 1} aria-setsize={count}>
        {content(row, session)}
      </article>
    );
  }
}
