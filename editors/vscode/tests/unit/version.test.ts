import assert from "node:assert/strict";
import { test } from "node:test";
import { mismatch } from "../../src/hub/version.ts";

test("a hub of the same release fits, whatever its patch is", () => {
  assert.equal(mismatch("0.1.0", "0.1.7"), null);
  assert.equal(mismatch("2.1.0", "2.9.0"), null);
});

test("another release is explained with the command that helps", () => {
  for (const [own, hub] of [["0.1.0", "0.2.0"], ["0.2.0", "0.1.0"], ["1.0.0", "unknown"]]) {
    assert.match(mismatch(own!, hub!) ?? "", /attache serve restart/);
  }
  assert.match(mismatch("0.2.0", "0.1.9") ?? "", /Update the program/);
  assert.match(mismatch("0.1.0", "0.2.0") ?? "", /Update the extension/);
});
