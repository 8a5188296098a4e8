import type { RestoreGoal, RestorePreview, RestoreWhat } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { addressOf, attempt, panel, say } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { count, plain } from "../text.ts";
import { Spans } from "./text.tsx";

const WORDS: Record<RestoreWhat, string> = {
  files: "Files",
  conversation: "Conversation",
  both: "Files and conversation",
};

/** What the buttons and the text say: a rejected change is no rewind for the person. */
function labels(goal: RestoreGoal): { intro: string; confirm: string; busy: string; keep: string } {
  if (goal.type !== "hunks") {
    const confirm = "Go back";
    return { intro: "", confirm, busy: "Going back…", keep: "Keep everything" };
  }
  const { length } = goal.hunks;
  const intro = `This takes ${count(length, "change")} back in the file:`;
  const confirm = length === 1 ? "Reject the change" : "Reject the changes";
  return { intro, confirm, busy: "Rejecting…", keep: "Cancel" };
}

/** Shows what going back would do, and does it when the person confirms. */
export function Restore(props: {
  session: ShownSession;
  goal: RestoreGoal;
  /** What can go back. */
  choices: RestoreWhat[];
  /** Whether the agent can take the conversation back. */
  forks: boolean;
  cancel(): void;
  done(): void;
}): JSX.Element {
  const { session, goal } = props;
  const preview = useSignal<RestorePreview | null>(null);
  const force = useSignal(false);
  const what = useSignal<RestoreWhat>(props.choices[0] ?? "files");
  const busy = useSignal<AbortController | null>(null);
  const stops = useSignal(false);
  const look = (forced: boolean): void => {
    const { agent, sessionId } = session;
    const asked = { agent, sessionId, goal, force: forced };
    void attempt("_attache/restore_preview", asked).then((result) => {
      if (result !== null) [preview.value, force.value] = [result, forced];
      else if (preview.value === null) props.cancel();
    });
  };
  useEffect(() => look(false), []);
  const confirm = async (number: number): Promise<void> => {
    const stopping = new AbortController();
    [busy.value, stops.value] = [stopping, false];
    const asked = { preview: number, what: what.value };
    const restored = await attempt("_attache/restore", asked, stopping.signal);
    busy.value = null;
    if (restored === null) {
      if (stopping.signal.aborted) say("Stopped: nothing was restored.");
      // A preview is confirmed only once.
      look(force.value);
      return;
    }
    say(restored.lines.map(plain).join(" ") || "Done");
    const next = restored.session;
    if (next.sessionId !== session.sessionId || next.agent !== session.agent) {
      panel.value = null;
      location.hash = addressOf(next.agent, next.sessionId);
    } else {
      props.done();
    }
  };
  const known = preview.value;
  if (known === null) return <p class="muted">Looking what would change…</p>;
  const files = what.value !== "conversation";
  const says = labels(goal);
  const nothing = known.isEmpty && what.value === "files";
  return (
    <section class="restore" aria-label="What would change">
      {props.choices.length > 1 && (
        <fieldset>
          <legend>What goes back</legend>
          {props.choices.map((each) => (
            <label key={each} class="option">
              <input
                type="radio"
                name="what"
                checked={what.value === each}
                onChange={() => (what.value = each)}
              />
              {WORDS[each]}
            </label>
          ))}
        </fieldset>
      )}
      {!props.forks && what.value !== "files" && (
        <p class="muted">The agent cannot go back itself, so a new session begins.</p>
      )}
      {says.intro !== "" && <p>{says.intro}</p>}
      {files && known.isEmpty && <p>No file would change.</p>}
      {files && (
        <ul class="preview-lines">
          {known.lines.map((line, index) => (
            <li key={index}>
              <Spans line={line} />
            </li>
          ))}
        </ul>
      )}
      {files && (known.needsForce || force.value) && (
        <label class="option">
          <input
            type="checkbox"
            checked={force.value}
            onChange={(event) => look(event.currentTarget.checked)}
          />
          also files that others changed, and protected files
        </label>
      )}
      <div class="buttons">
        <button
          class="danger"
          disabled={busy.value !== null || nothing}
          onClick={() => void confirm(known.preview)}
        >
          {busy.value !== null ? says.busy : says.confirm}
        </button>
        {busy.value !== null ? (
          <button
            disabled={stops.value}
            onClick={() => {
              stops.value = true;
              busy.value?.abort();
            }}
          >
            {stops.value ? "Stopping…" : "Stop"}
          </button>
        ) : (
          <button onClick={props.cancel}>{says.keep}</button>
        )}
      </div>
    </section>
  );
}
