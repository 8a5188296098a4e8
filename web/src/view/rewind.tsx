import type { CheckpointItem, Checkpoints, RestoreGoal } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { attempt, may, panel } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { clock, count, plain } from "../text.ts";
import { Restore } from "./restore.tsx";
import { NeedsScope } from "./scope.tsx";
import { Sheet } from "./sheet.tsx";

function Point(props: { point: CheckpointItem; choose(): void }): JSX.Element {
  const { point } = props;
  return (
    <li>
      <button class="rule" disabled={!may("control")} onClick={props.choose}>
        <span class="strong">{plain(point.prompt) || "(no prompt)"}</span>
        <span class="muted">
          {point.turn !== null && `before turn ${point.turn} · `}
          {clock(point.at)}
          {point.files !== null && ` · ${count(point.files, "changed file")}`}
          {!point.complete && " · not everything was kept"}
        </span>
      </button>
    </li>
  );
}

/** The points to which a session can go back. */
export function Rewind({ session }: { session: ShownSession }): JSX.Element {
  const points = useSignal<Checkpoints | null>(null);
  const goal = useSignal<RestoreGoal | null>(null);
  const read = (): void => {
    const { agent, sessionId } = session;
    goal.value = null;
    void attempt("_attache/checkpoints", { agent, sessionId }).then((found) => {
      points.value = found;
    });
  };
  useEffect(read, [session]);
  const known = points.value;
  const chosen = goal.value;
  return (
    <Sheet title="Rewind" close={() => (panel.value = null)}>
      <NeedsScope scope="control" what="restore files" />
      {chosen !== null ? (
        <Restore
          session={session}
          goal={chosen}
          choices={chosen.type === "point" ? ["both", "files", "conversation"] : ["files"]}
          forks={known?.forks ?? false}
          cancel={() => (goal.value = null)}
          done={read}
        />
      ) : (
        <>
          <button
            disabled={!may("control")}
            onClick={() => (goal.value = { type: "last_restore" })}
          >
            Undo the last restore
          </button>
          {known?.points.length === 0 && <p class="muted">There is nothing to go back to.</p>}
          <ol class="points">
            {known?.points.map((point) => (
              <Point
                key={point.id}
                point={point}
                choose={() => (goal.value = { type: "point", id: point.id })}
              />
            ))}
          </ol>
        </>
      )}
    </Sheet>
  );
}
