import type {
  HunkDecision,
  HunkState,
  ReviewedFile,
  ReviewedHunk,
  ReviewItems,
} from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { attempt, may, panel, say } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { plain } from "../text.ts";
import { FileHead, HunkView } from "./diff.tsx";
import { Restore } from "./restore.tsx";
import { NeedsScope } from "./scope.tsx";
import { Sheet } from "./sheet.tsx";
import { Spans } from "./text.tsx";

const STATES: Record<HunkState, string> = {
  open: "",
  accepted: "✓ accepted",
  rejected: "✗ rejected",
};

interface Actions {
  decide(hunks: string[], decision: HunkDecision): void;
  reject(hunks: string[]): void;
}

function Comment(props: { hunk: ReviewedHunk; actions: Actions; close(): void }): JSX.Element {
  const text = useSignal(props.hunk.comment);
  return (
    <form
      class="more"
      onSubmit={(event) => {
        event.preventDefault();
        props.actions.decide([props.hunk.id], { type: "comment", text: text.value });
        props.close();
      }}
    >
      <label>
        Comment for the agent
        <textarea
          rows={2}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button class="main">Keep the comment</button>
    </form>
  );
}

function HunkActions({ hunk, actions }: { hunk: ReviewedHunk; actions: Actions }): JSX.Element {
  const comments = useSignal(false);
  const disabled = !may("control");
  const { id } = hunk;
  return (
    <div class="hunk-actions">
      <span class={`state-${hunk.state}`}>{STATES[hunk.state]}</span>
      {hunk.state === "open" ? (
        <>
          <button disabled={disabled} onClick={() => actions.decide([id], { type: "accept" })}>
            Accept
          </button>
          <button disabled={disabled} onClick={() => actions.reject([id])}>
            Reject…
          </button>
        </>
      ) : (
        hunk.state === "accepted" && (
          <button disabled={disabled} onClick={() => actions.decide([id], { type: "reopen" })}>
            Decide again
          </button>
        )
      )}
      <button
        disabled={disabled}
        aria-expanded={comments.value}
        onClick={() => (comments.value = !comments.value)}
      >
        {hunk.comment === "" ? "Comment" : "Edit the comment"}
      </button>
      {hunk.comment !== "" && !comments.value && <p class="comment">{hunk.comment}</p>}
      {comments.value && (
        <Comment hunk={hunk} actions={actions} close={() => (comments.value = false)} />
      )}
    </div>
  );
}

function File({ file, actions }: { file: ReviewedFile; actions: Actions }): JSX.Element {
  const open = file.hunks.filter((hunk) => hunk.state === "open").map((hunk) => hunk.id);
  const name = plain(file.change.path);
  const disabled = !may("control");
  return (
    <section class="file" aria-label={name}>
      <div class="review-head">
        <FileHead file={file.change} />
        {open.length > 1 && (
          <span class="buttons">
            <button disabled={disabled} onClick={() => actions.decide(open, { type: "accept" })}>
              Accept the file
            </button>
            <button disabled={disabled} onClick={() => actions.reject(open)}>
              Reject the file…
            </button>
          </span>
        )}
      </div>
      {file.hunks.map((hunk) => {
        const lines = file.change.hunks[hunk.index];
        return (
          <div key={hunk.id} class={`reviewed ${hunk.state}`}>
            {lines && <HunkView hunk={lines} label={`change of ${name}`} />}
            <HunkActions hunk={hunk} actions={actions} />
          </div>
        );
      })}
    </section>
  );
}

/** What the turns of a session changed, to accept or to reject. */
export function Review({ session }: { session: ShownSession }): JSX.Element {
  const review = useSignal<ReviewItems | null>(null);
  const rejected = useSignal<string[] | null>(null);
  const { agent, sessionId } = session;
  const read = (): void => {
    rejected.value = null;
    const asked = { agent, sessionId, first: null, last: null };
    void attempt("_attache/review", asked).then((result) => {
      review.value = result ?? review.value;
    });
  };
  useEffect(read, [session]);
  const decide = async (hunks: string[], decision: HunkDecision): Promise<void> => {
    const decided = await attempt("_attache/decide", { agent, sessionId, hunks, decision });
    if (decided === null) return;
    review.value = decided.review;
    if (decision.type === "tell") say("The agent learns of this with the next prompt.");
  };
  const actions: Actions = {
    decide: (hunks, decision) => void decide(hunks, decision),
    reject: (hunks) => (rejected.value = hunks),
  };
  const known = review.value;
  const hunks = known?.files.flatMap((file) => file.hunks) ?? [];
  const told = hunks.filter((hunk) => hunk.state === "rejected" || hunk.comment !== "");
  return (
    <Sheet title="Review" wide close={() => (panel.value = null)}>
      <NeedsScope scope="control" what="decide about changes" />
      {rejected.value !== null ? (
        <Restore
          session={session}
          goal={{ type: "hunks", hunks: rejected.value }}
          choices={["files"]}
          forks={false}
          cancel={() => (rejected.value = null)}
          done={read}
        />
      ) : (
        <>
          {known?.files.length === 0 && <p class="muted">No file changed.</p>}
          {known?.notes.map((note, index) => (
            <p key={index} class="muted">
              <Spans line={note} />
            </p>
          ))}
          {known?.files.map((file) => (
            <File key={plain(file.change.path)} file={file} actions={actions} />
          ))}
          {told.length > 0 && (
            <button
              class="main"
              disabled={!may("control")}
              onClick={() => actions.decide(told.map((hunk) => hunk.id), { type: "tell" })}
            >
              Tell the agent
            </button>
          )}
        </>
      )}
    </Sheet>
  );
}
