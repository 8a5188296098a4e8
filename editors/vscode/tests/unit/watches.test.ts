import assert from "node:assert/strict";
import { test } from "node:test";
import { Watches } from "../../src/hub/watches.ts";

test("notifications that come before their watch is known are not lost", () => {
  const watches = new Watches();
  const got: unknown[] = [];
  watches.notified("m", { watch: 1, at: 1 });
  watches.notified("m", { watch: 2, at: 2 });
  watches.add(1, (_, params) => got.push(params));
  watches.notified("m", { watch: 1, at: 3 });
  watches.remove(1);
  watches.notified("m", { watch: 1, at: 4 });
  assert.deepEqual(got, [{ watch: 1, at: 1 }, { watch: 1, at: 3 }]);
});
