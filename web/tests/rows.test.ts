import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row, SessionChanged } from "../../crates/serve/types.ts";
import { applyChange, applyRead, emptySession, missing } from "../src/store/rows.ts";
import { samples } from "./hub.ts";

const [sample] = samples.session.rows as [Row];

function row(id: number, at = 0): Row {
  return { ...sample, id, at };
}

function change(sequence: number, count: number, rows: Row[], more = {}): SessionChanged {
  const position = { generation: 1, sequence, run: "run" };
  return { watch: 1, position, replaced: false, count, rows, ...more };
}

function ids(state: { rows: (Row | undefined)[] }): (number | null)[] {
  return Array.from(state.rows, (known) => known?.at ?? null);
}

test("rows below the first one that was sent are gaps", () => {
  const state = emptySession();
  applyChange(state, change(9, 5, [row(3, 1), row(4, 2)], { replaced: true }));
  assert.deepEqual(ids(state), [null, null, null, 1, 2]);
  assert.deepEqual(missing(state, 0, 5), [0, 3]);
  assert.deepEqual(missing(state, 3, 5), null);
  assert.equal(applyRead(state, state.position, [row(0, 7), row(2, 8)]), true);
  assert.deepEqual(ids(state), [7, null, 8, 1, 2]);
  assert.deepEqual(missing(state, 0, 5), [1, 2]);
});

test("at most 500 rows are read at once", () => {
  const state = emptySession();
  applyChange(state, change(1, 2_000, [row(1_999)]));
  assert.deepEqual(missing(state, 100, 2_000), [100, 600]);
});

test("rows of one change may come in any order", () => {
  const state = emptySession();
  applyChange(state, change(1, 3, [row(2, 3), row(0, 1), row(1, 2)]));
  assert.deepEqual(ids(state), [1, 2, 3]);
});

test("an older change says nothing new", () => {
  const state = emptySession();
  assert.equal(applyChange(state, change(5, 1, [row(0, 5)])), true);
  assert.equal(applyChange(state, change(4, 1, [row(0, 4)])), false);
  assert.deepEqual(ids(state), [5]);
  assert.equal(state.position?.sequence, 5);
});

test("a change after a restart of the hub counts, although its number is smaller", () => {
  const state = emptySession();
  applyChange(state, change(5, 1, [row(0, 5)]));
  const later = change(1, 1, [row(0, 6)], { replaced: true });
  later.position.run = "another run";
  assert.equal(applyChange(state, later), true);
  assert.deepEqual(ids(state), [6]);
});

test("a replaced history voids all rows and what was asked before", () => {
  const state = emptySession();
  applyChange(state, change(5, 3, [row(2, 5)]));
  const asked = state.position;
  const replaced = change(1, 2, [row(1, 9)], { replaced: true });
  replaced.position.generation = 2;
  applyChange(state, replaced);
  assert.deepEqual(ids(state), [null, 9]);
  assert.equal(applyRead(state, asked, [row(0, 1)]), false);
  assert.deepEqual(ids(state), [null, 9]);
});

test("a row that was read does not replace one that a change brought meanwhile", () => {
  const state = emptySession();
  applyChange(state, change(1, 2, [row(1, 1)]));
  const asked = state.position;
  applyChange(state, change(2, 2, [row(0, 2)]));
  assert.equal(applyRead(state, asked, [row(0, 1)]), false);
  assert.deepEqual(ids(state), [2, 1]);
});

test("a history that becomes shorter loses its last rows", () => {
  const state = emptySession();
  applyChange(state, change(1, 3, [row(0), row(1), row(2)]));
  applyChange(state, change(2, 1, [row(5)]));
  assert.equal(state.rows.length, 1);
});

test("parts that are absent did not change, and null ends a problem", () => {
  const state = emptySession();
  applyChange(state, samples.session);
  assert.equal(state.queue.length, 2);
  applyChange(state, { ...change(1_000, 8, []), closed: sample.content as never });
  assert.notEqual(state.closed, null);
  applyChange(state, change(1_001, 8, [], { closed: null, queue: [] }));
  assert.equal(state.closed, null);
  assert.deepEqual([state.queue.length, state.options.length], [0, 2]);
});

test("a recorded stream ends with the text of its last message", () => {
  const state = emptySession();
  applyChange(state, samples.session);
  for (const each of samples.streamed) applyChange(state, each);
  const last = samples.streamed.at(-1)?.rows.at(-1);
  assert.deepEqual(state.rows.at(-1), last);
  assert.ok(state.rows.every((known) => known !== undefined));
});
