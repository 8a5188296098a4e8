import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { goTo, panel } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { plain } from "../text.ts";
import { Composer } from "./composer.tsx";
import { WindowedList } from "./list.tsx";
import { Questions } from "./question.tsx";
import { Queue } from "./queue.tsx";
import { isVisible, RowView } from "./row.tsx";
import { ActivityLine, StatusBar } from "./status.tsx";

/** The conversation of a session, with everything that belongs to it. */
export function Conversation({ session }: { session: ShownSession }): JSX.Element {
  void session.version.value;
  const title = plain(session.state.status?.title) || session.agent;
  const action = (name: string, label: string): JSX.Element => (
    <button aria-haspopup="dialog" onClick={() => (panel.value = name)}>
      {label}
    </button>
  );
  return (
    <main class="conversation" aria-label={`Session ${title}`}>
      <header class="bar">
        <a class="icon back" href="#/" aria-label="All sessions">
          ‹
        </a>
        <h1 class="cut">{title}</h1>
        {action("review", "Review")}
        {action("rewind", "Rewind")}
        <button class="icon" aria-label="Search" onClick={() => (panel.value = "search")}>
          ⌕
        </button>
      </header>
      <Rows session={session} />
      <div class="dock">
        <Questions key={session.key} session={session} />
        <Queue session={session} />
        <ActivityLine session={session} />
        <Composer key={session.key} session={session} />
        <StatusBar session={session} />
      </div>
    </main>
  );
}

function Rows({ session }: { session: ShownSession }): JSX.Element {
  const list = useRef<WindowedList>(null);
  const atEnd = useSignal(true);
  /** The number of rows when the person left the end. */
  const seen = useSignal(0);
  const found = useSignal<number | null>(null);
  void session.version.value;
  const { rows } = session.state;
  useEffect(() => {
    const row = goTo.value;
    if (row === null || rows.length <= row) return;
    goTo.value = null;
    found.value = row;
    list.current?.toRow(row);
  }, [goTo.value, rows.length]);
  // Who sends a prompt wants to see what comes of it.
  useEffect(() => {
    if (session.prompted.value > 0) list.current?.toEnd();
  }, [session, session.prompted.value]);
  const left = (is: boolean): void => {
    atEnd.value = is;
    seen.value = session.state.rows.length;
  };
  const row = (index: number): JSX.Element => {
    const known = rows[index];
    if (known === undefined) return <div class="row unknown" />;
    return (
      <RowView
        row={known}
        session={session}
        count={rows.length}
        isFound={found.value === index}
      />
    );
  };
  const fresh = rows.slice(seen.value).filter(isVisible).length;
  return (
    <div class="rows-frame">
      {session.problem.value !== null && (
        <p class="r-error note" role="alert">
          {session.problem.value}
        </p>
      )}
      {!session.loaded.value && session.problem.value === null && (
        <p class="muted note" role="status">
          Loading…
        </p>
      )}
      <WindowedList
        key={session.key}
        handle={list}
        count={rows.length}
        label="Conversation"
        role="feed"
        row={row}
        isKnown={(index) => rows[index] !== undefined}
        shown={(first, end) => void session.need(first, end)}
        atEnd={left}
      />
      {!atEnd.value && (
        <button class="to-end" onClick={() => list.current?.toEnd()}>
          {fresh > 0 ? `${fresh} new ${fresh === 1 ? "message" : "messages"}` : "To the end"} ↓
        </button>
      )}
    </div>
  );
}
