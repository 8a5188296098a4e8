import type { QueueChange, QueueItem } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { attempt, may } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { count, plain } from "../text.ts";

const isSmall = matchMedia("(max-width: 760px)");

type Change = (change: QueueChange) => Promise<unknown>;

function Waiting(props: {
  item: QueueItem;
  at: number;
  last: number;
  change: Change;
}): JSX.Element {
  const { item, at, last, change } = props;
  const edited = useSignal<string | null>(null);
  const disabled = !may("control");
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = edited.value ?? "";
    if ((await change({ type: "edit", id: item.id, text })) !== null) edited.value = null;
  };
  if (edited.value !== null) {
    return (
      <li>
        <form class="more" onSubmit={(event) => void save(event)}>
          <textarea
            aria-label="Text of the prompt"
            rows={3}
            value={edited.value}
            onInput={(event) => (edited.value = event.currentTarget.value)}
          />
          <button class="main">Save</button>
          <button type="button" onClick={() => (edited.value = null)}>
            Discard
          </button>
        </form>
      </li>
    );
  }
  const button = (label: string, sign: string, press: () => void, off = false): JSX.Element => (
    <button class="icon" aria-label={label} disabled={disabled || off} onClick={press}>
      {sign}
    </button>
  );
  const { id } = item;
  const move = (to: number): void => void change({ type: "move", id, to });
  return (
    <li>
      <span class="cut">
        {item.text}
        {item.attachments > 0 && (
          <span class="muted"> + {count(item.attachments, "attachment")}</span>
        )}
      </span>
      <span class="actions">
        {button("Edit", "✎", () => (edited.value = item.text))}
        {button("Move up", "↑", () => move(at - 1), at === 0)}
        {button("Move down", "↓", () => move(at + 1), at === last)}
        {button("Send now", "⏎", () => void change({ type: "send_now", id }))}
        {button("Remove", "✕", () => void change({ type: "remove", id }))}
      </span>
    </li>
  );
}

/** The prompts that wait for their turn. */
export function Queue({ session }: { session: ShownSession }): JSX.Element | null {
  void session.version.value;
  const chosen = useSignal<boolean | null>(null);
  const { queue, status, questions } = session.state;
  // On a small screen, and beside a question, only their number is shown at first.
  const isOpen = chosen.value ?? (!isSmall.matches && questions.length === 0);
  if (queue.length === 0) return null;
  const { agent, sessionId } = session;
  const change: Change = (change) => attempt("_attache/queue", { agent, sessionId, change });
  const held = status?.held;
  return (
    <section class="queue" aria-label="Prompts that wait">
      <div class="queue-head">
        <button
          class="fold-head"
          aria-expanded={isOpen}
          onClick={() => (chosen.value = !isOpen)}
        >
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          <span class="fold-summary">
            {count(queue.length, "prompt")} {queue.length === 1 ? "waits" : "wait"}
            {held && <span class="r-warning"> · {plain(held)}</span>}
          </span>
        </button>
        {held && (
          <button disabled={!may("control")} onClick={() => void change({ type: "release" })}>
            Go on
          </button>
        )}
      </div>
      {isOpen && (
        <ol>
          {queue.map((item, index) => (
            <Waiting
              key={item.id}
              item={item}
              at={index}
              last={queue.length - 1}
              change={change}
            />
          ))}
        </ol>
      )}
    </section>
  );
}
