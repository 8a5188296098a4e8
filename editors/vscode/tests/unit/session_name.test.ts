import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, fromAddress, fromWire } from "../../src/hub/session_name.ts";

test("an address names the session that it was made for", () => {
  for (const agent of ["a", "my agent --acp", "a/b", "100%"]) {
    const of = { agent, sessionId: "s/1 %" };
    assert.deepEqual(fromAddress(addressOf(of)), of);
  }
  assert.equal(fromAddress("#/"), null);
  assert.equal(fromAddress("#/s/%E0%A4%A/x"), null);
});

test("an id of ACP has the agent before the first slash", () => {
  assert.deepEqual(fromWire("a%2Fb%25/s/1"), { agent: "a/b%", sessionId: "s/1" });
  assert.equal(fromWire("s1"), null);
});
