import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromEditor } from "../../../../web/src/protocol/editor.ts";
import type { Hub } from "../../src/hub/hub.ts";
import { Watches } from "../../src/hub/watches.ts";
import { PageLink } from "../../src/pages/page_link.ts";

/** A page, and a hub that is connected. `answer` lets the hub answer its open call. */
function linked() {
  const watches = new Watches();
  const ended: number[] = [];
  const posted: FromEditor[] = [];
  let answer = (_result: unknown): void => {};
  const hub = {
    state: { kind: "online", negotiated: {} },
    watches,
    callRaw: () => new Promise((resolve) => (answer = resolve)),
    call: async (_: string, { watch }: { watch: number }) => void ended.push(watch),
  };
  const link = new PageLink(hub as unknown as Hub, (message) => posted.push(message));
  const call = JSON.stringify({ id: 1, method: "_attache/watch_trace", params: { agent: "a" } });
  return { watches, ended, posted, link, call, answer: (result: unknown) => answer(result) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a page gets what it watches, until it closes its channel", async () => {
  const { watches, ended, posted, link, call, answer } = linked();
  link.receive({ type: "open" });
  link.receive({ type: "message", text: call });
  answer({ watch: 7 });
  await turn();
  watches.notified("_attache/trace", { watch: 7 });
  assert.deepEqual(
    posted.map(({ type }) => type),
    ["opened", "message", "message"],
  );
  link.receive({ type: "close" });
  assert.deepEqual(ended, [7]);
  watches.notified("_attache/trace", { watch: 7 });
  assert.equal(posted.length, 3);
});

test("a watch that begins after the page closed its channel ends at once", async () => {
  const { ended, link, call, answer } = linked();
  link.receive({ type: "open" });
  link.receive({ type: "message", text: call });
  link.receive({ type: "close" });
  answer({ watch: 8 });
  await turn();
  assert.deepEqual(ended, [8]);
});
