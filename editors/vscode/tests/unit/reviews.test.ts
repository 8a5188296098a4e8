import assert from "node:assert/strict";
import { test } from "node:test";
import type { Disposable } from "vscode";
import type { OfSession, SessionChanged } from "../../../../crates/serve/types.ts";
import type { Hub } from "../../src/hub/hub.ts";
import type { CurrentSession } from "../../src/sessions/current_session.ts";
import "./vscode_stub.ts";

const vscode = await import("vscode");
const { Reviews } = await import("../../src/review/reviews.ts");

/** A hub with one open session, of which the list never says that a turn runs. */
class TestHub {
  readonly changed = new vscode.EventEmitter<void>();
  readonly onChange = this.changed.event;
  readonly view = {
    list: { sessions: [{ agent: "a", id: "s", folder: [], activity: { kind: "idle" } }] },
  };
  follower: ((change: SessionChanged) => void) | null = null;
  reads = 0;

  async call(): Promise<object> {
    this.reads++;
    return { files: [], notes: [] };
  }

  follow(_: OfSession, follower: (change: SessionChanged) => void): Disposable {
    this.follower = follower;
    return new vscode.Disposable(() => (this.follower = null));
  }

  says(kind: string | null, rows: number): void {
    const status = kind === null ? null : { activity: { kind } };
    this.follower?.({ status, rows: Array(rows).fill({}) } as unknown as SessionChanged);
  }
}

test("changes are read again when something happened and no turn runs", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const hub = new TestHub();
  const current = { value: { agent: "a", sessionId: "s" }, onChange: hub.changed.event };
  const reviews = new Reviews(hub as unknown as Hub, current as unknown as CurrentSession);
  hub.changed.fire();
  const reads = async (): Promise<number> => {
    mock.timers.tick(100);
    await new Promise(setImmediate);
    return hub.reads;
  };
  hub.says("idle", 1);
  assert.equal(await reads(), 1);
  // A draft, or a part of an answer.
  hub.says(null, 0);
  hub.says("writing", 1);
  hub.says(null, 1);
  assert.equal(await reads(), 1);
  // Many changes are one read.
  for (let change = 0; change < 50; change++) hub.says("idle", 1);
  assert.equal(await reads(), 2);
  // A whole turn in one notification.
  hub.says(null, 3);
  assert.equal(await reads(), 3);
  assert.notEqual(reviews.value, null);
  const [session] = hub.view.list.sessions;
  Object.assign(session!, { activity: null });
  hub.changed.fire();
  assert.equal(hub.follower, null);
  assert.equal(reviews.value, null);
  reviews.dispose();
});
