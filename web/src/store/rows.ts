import type {
  CommandItem,
  Draft,
  Line,
  OptionItem,
  QuestionView,
  QueueItem,
  Row,
  SessionChanged,
  StatusLine,
  ViewPosition,
} from "../../../crates/serve/types.ts";

/** What the page knows of a session. */
export interface SessionState {
  position: ViewPosition | null;
  /** The rows by id. `undefined` for a row that was not sent yet. */
  rows: (Row | undefined)[];
  status: StatusLine | null;
  questions: QuestionView[];
  options: OptionItem[];
  commands: CommandItem[];
  queue: QueueItem[];
  draft: Draft | null;
  /** Whether the agent accepts images; `null` while it does not run. */
  images: boolean | null;
  closed: Line | null;
}

/** The largest number of rows that are read at once. */
export const READ_AT_ONCE = 500;

export function emptySession(): SessionState {
  return {
    position: null,
    rows: [],
    status: null,
    questions: [],
    options: [],
    commands: [],
    queue: [],
    draft: null,
    images: null,
    closed: null,
  };
}

/** Whether `next` is older than what is known: then it says nothing new. */
function isOlder(known: ViewPosition | null, next: ViewPosition): boolean {
  return (
    known !== null &&
    known.run === next.run &&
    known.generation === next.generation &&
    next.sequence < known.sequence
  );
}

/** Applies a change. Returns whether it was new. */
export function applyChange(state: SessionState, change: SessionChanged): boolean {
  if (!change.replaced && isOlder(state.position, change.position)) return false;
  if (change.replaced) state.rows = [];
  state.position = change.position;
  state.rows.length = change.count;
  for (const row of change.rows) {
    if (row.id < change.count) state.rows[row.id] = row;
  }
  state.status = change.status ?? state.status;
  state.questions = change.questions ?? state.questions;
  state.options = change.options ?? state.options;
  state.commands = change.commands ?? state.commands;
  state.queue = change.queue ?? state.queue;
  state.draft = change.draft ?? state.draft;
  if (change.images !== undefined) state.images = change.images;
  if (change.closed !== undefined) state.closed = change.closed;
  return true;
}

/**
 * Adds rows that were read. A row that is known stays, because a change brought it later. Rows of
 * another generation or run are void.
 */
export function applyRead(state: SessionState, asked: ViewPosition | null, rows: Row[]): boolean {
  const now = state.position;
  if (now === null || now.run !== asked?.run || now.generation !== asked.generation) return false;
  let added = false;
  for (const row of rows) {
    if (row.id < state.rows.length && state.rows[row.id] === undefined) {
      state.rows[row.id] = row;
      added = true;
    }
  }
  return added;
}

/** Returns the rows to read so that those from `first` to before `end` are known. */
export function missing(state: SessionState, first: number, end: number): [number, number] | null {
  const last = Math.min(end, state.rows.length);
  let from = Math.max(0, first);
  while (from < last && state.rows[from] !== undefined) from++;
  if (from >= last) return null;
  let to = Math.min(last, from + READ_AT_ONCE);
  while (to > from + 1 && state.rows[to - 1] !== undefined) to--;
  return [from, to];
}
