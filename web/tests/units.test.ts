import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../src/protocol/hub.ts";
import { CallError, Peer } from "../src/protocol/peer.ts";
import { Drafts } from "../src/store/drafts.ts";
import { filtered, visible } from "../src/trace/lines.ts";
import { LiveLines } from "../src/trace/live_lines.ts";
import { addFindings, isFindings, readRecording } from "../src/trace/recording.ts";
import { complete, content, matching, withAdded, wordAt } from "../src/view/completion.ts";
import { Heights } from "../src/view/heights.ts";
import { samples } from "./hub.ts";
import type { TraceLine } from "../../crates/serve/types.ts";

test("pauses between attempts grow to half a minute", () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6, 100].map((attempt) => pause(attempt, 0.5));
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  assert.ok(pause(3, 0) < pause(3, 1));
});

test("calls are answered by their ids, and fail when the connection ends", async () => {
  const sent: string[] = [];
  const peer = new Peer((text) => sent.push(text), () => {});
  const [first, second, third] = [1, 2, 3].map(() => peer.call("m", {}));
  peer.receive('{"jsonrpc":"2.0","id":2,"result":"two"}');
  peer.receive('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}');
  peer.receive("no JSON");
  peer.receive('{"jsonrpc":"2.0","id":77,"result":1}');
  peer.end("gone");
  assert.equal(await second, "two");
  await assert.rejects(first!, new CallError("no", false));
  await assert.rejects(third!, (error: CallError) => error.lost && error.message === "gone");
  peer.receive('{"jsonrpc":"2.0","id":"x","method":"session/request_permission","params":{}}');
  assert.match(sent.at(-1) ?? "", /"id":"x","error":\{"code":-32601/);
});

function drafts(): Drafts {
  const stored = new Map<string, string>();
  return new Drafts({
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  });
}

test("what was typed here is never replaced by another front end's draft", () => {
  const kept = drafts();
  kept.write("a/s", "mine");
  assert.equal(kept.isUnsynced("a/s"), true);
  assert.deepEqual(kept.merge("a/s", { text: "theirs", by: 2 }, 1), {
    kind: "offer",
    text: "theirs",
  });
  assert.equal(kept.text("a/s"), "mine");
  assert.deepEqual(kept.merge("a/s", { text: "", by: 2 }, 1), { kind: "keep" });
  assert.equal(kept.text("a/s"), "mine");
});

test("another front end's draft is adopted if nothing else was typed here", () => {
  const kept = drafts();
  assert.deepEqual(kept.merge("a/s", { text: "theirs", by: 2 }, 1), {
    kind: "adopt",
    text: "theirs",
  });
  assert.equal(kept.isUnsynced("a/s"), false);
  assert.deepEqual(kept.merge("a/s", { text: "theirs, longer", by: 2 }, 1).kind, "adopt");
  assert.equal(kept.text("a/s"), "theirs, longer");
});

test("the draft of another page with the same connection is adopted", () => {
  const kept = drafts();
  assert.equal(kept.merge("a/s", { text: "there", by: 1 }, 1).kind, "adopt");
  assert.equal(kept.merge("a/s", { text: "", by: 1 }, 1).kind, "adopt");
  assert.equal(kept.text("a/s"), "");
});

test("the hub's echo of an own draft does not undo what was typed since", () => {
  const kept = drafts();
  kept.write("a/s", "one two");
  assert.deepEqual(kept.merge("a/s", { text: "one", by: 1 }, 1), { kind: "keep" });
  assert.equal(kept.text("a/s"), "one two");
  assert.equal(kept.isUnsynced("a/s"), true);
});

test("the sums of heights agree with a plain sum", () => {
  const heights = new Heights(10);
  heights.resize(1_000);
  for (let index = 0; index < 1_000; index += 7) heights.set(index, index % 50);
  heights.resize(1_500);
  heights.set(1_400, 33);
  const plain = Array.from({ length: 1_500 }, (_, index) => heights.get(index));
  const sum = (end: number): number => plain.slice(0, end).reduce((a, b) => a + b, 0);
  for (const end of [0, 1, 7, 512, 999, 1_000, 1_401, 1_500]) {
    assert.equal(heights.before(end), sum(end), String(end));
  }
  for (const distance of [0, 5, 10, 99, 5_000, sum(1_500) - 1]) {
    const row = heights.at(distance);
    assert.ok(sum(row) <= distance && distance < sum(row + 1), `${distance}: ${row}`);
  }
  assert.equal(heights.at(1e9), 1_499);
  heights.resize(3);
  assert.equal(heights.total, sum(3));
  heights.resize(0);
  assert.equal(heights.total, 0);
});

test("words are completed only where they can stand", () => {
  assert.equal(wordAt("/comp", 5)?.kind, "command");
  assert.equal(wordAt("say /comp", 9), null);
  assert.deepEqual(wordAt("look at @src/p", 14), {
    kind: "file",
    letters: "src/p",
    from: 8,
    to: 14,
  });
  assert.equal(wordAt("ann@example", 11), null);
  const word = wordAt("see @sr, then go", 7);
  assert.deepEqual(complete("see @sr, then go", word!, "@src/a.rs"), [
    "see @src/a.rs, then go",
    13,
  ]);
  const commands = samples.session.commands ?? [];
  assert.deepEqual(matching(commands, "re").map((each) => each.text), ["/review "]);
  assert.deepEqual(matching(commands, "").length, 2);
});

test("what an editor adds is separated from the text", () => {
  for (const [text, added, longer] of [
    ["", "@a ", "@a "],
    ["see", "@a ", "see @a "],
    ["see ", "@a ", "see @a "],
    ["", "@a:\nx\n", "@a:\nx\n"],
    ["see ", "@a:\nx\n", "see\n@a:\nx\n"],
    ["see\n", "@a:\nx\n", "see\n@a:\nx\n"],
  ] as const) {
    assert.equal(withAdded(text, added), longer);
  }
});

test("a chosen file becomes a link if the text still names it", () => {
  const blocks = content("read @a b.rs", ["a b.rs", "gone.rs"], "/home/ann");
  assert.deepEqual(blocks, [
    { type: "text", text: "read @a b.rs" },
    { type: "resource_link", uri: "file:///home/ann/a%20b.rs", name: "a b.rs" },
  ]);
  assert.equal(content("read @a", ["a"], null).length, 1);
});

const RECORDING = `{"from":"client","t":0.5,"message":{"id":1,"method":"initialize"}}
{"from":"agent","t":0.75,"message":{"jsonrpc":"2.0","id":1,"result":{}}}

{"from":"agent","text":"Welcome"}
{"from":"agent","t":1,"message":{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file"}}
{"from":"client","t":3,"message":{"jsonrpc":"2.0","id":1,"error":{"code":-1}}}
{"from":"agent","t":4,"message":{"jsonrpc":"2.0","method":"session/update"}}
`;

test("a recording joins calls with their replies in both directions", () => {
  const lines = readRecording(RECORDING);
  const shown = lines.map(({ line, kind, method, latency, partner }) => [
    line,
    kind,
    method,
    latency,
    partner,
  ]);
  assert.deepEqual(shown, [
    [1, "call", "initialize", null, 2],
    [2, "reply", "initialize", 0.25, 1],
    [4, "text", "", null, null],
    [5, "call", "fs/read_text_file", null, 6],
    [6, "error", "fs/read_text_file", 2, 5],
    [7, "notification", "session/update", null, null],
  ]);
  assert.equal(lines[2]?.size, 7);
});

test("a message in the trace hides and turns nothing", () => {
  const text = 'a\u202eb\u200b\x1b[8m\x7f\u2028{\u{e0041}}\u00ad 表\n\t"';
  const seen =
    'a\\u202eb\\u200b\\u001b[8m\\u007f\\u2028{\\udb40\\udc41}\\u00ad 表\n\t"';
  assert.equal(visible(text), seen);
});

test("lines are filtered by words, direction and kind", () => {
  const rule = { rule: "RPC-03", strength: "MUST NOT", text: "" };
  const finding = { ...rule, line: 4, by: "agent", seen: "" };
  assert.equal(isFindings(JSON.stringify(finding)), true);
  assert.equal(isFindings(RECORDING), false);
  const lines = addFindings(readRecording(RECORDING), `${JSON.stringify(finding)}\n`);
  const found = (filter: object): number[] =>
    filtered(lines, { words: "", from: "both", kind: "all", ...filter }).map((each) => each.line);
  assert.deepEqual(found({ words: "initialize" }), [1, 2]);
  assert.deepEqual(found({ from: "client" }), [1, 6]);
  assert.deepEqual(found({ kind: "errors" }), [4, 6]);
  assert.deepEqual(found({ kind: "findings" }), [4]);
  assert.deepEqual(found({ kind: "notifications" }), [7]);
});

test("a recording of attache run has directions and dates", () => {
  const at = (micro: string): string => `2026-11-23T10:00:00.${micro}Z`;
  const call = { jsonrpc: "2.0", id: 1, method: "initialize" };
  const reply = { jsonrpc: "2.0", id: 1, result: {} };
  const lines = readRecording(
    `${JSON.stringify({ at: at("000100"), direction: "sent", message: call })}\n` +
      JSON.stringify({ at: at("250350"), direction: "received", message: reply }),
  );
  assert.deepEqual(lines.map((line) => line.from), ["client", "agent"]);
  assert.equal(lines[0]?.time, 0);
  assert.equal(lines[1]?.latency?.toFixed(5), "0.25025");
});

test("live messages are joined, and gaps and old ones are known", () => {
  const message = (number: number, message: object): TraceLine => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    const from = "id" in message && "result" in message ? "agent" : "client";
    const at = 1_795_000_000_000_000 + number * 1000;
    const line = { number, connection: 1, from, at, size: text.length, isJson: true, text };
    return { ...line, broken: [] };
  };
  const live = new LiveLines({ lines: 4, characters: 10_000 });
  const call = message(1, { id: 0, method: "initialize" });
  live.add({ watch: 1, run: 7, lines: [call, message(2, { id: 0, result: {} })] });
  assert.deepEqual([live.lines[1]?.method, live.lines[1]?.latency], ["initialize", 0.001]);
  live.add({ watch: 1, run: 7, lines: [message(9, { method: "_x" })] });
  const shown = (): [number, string, string][] =>
    live.lines.map(({ line, kind, text }) => [line, kind, kind === "gap" ? text : ""]);
  const all = [[1, "call", ""], [2, "reply", ""], [3, "gap", "6 messages left out"]];
  assert.deepEqual(shown(), [...all, [9, "notification", ""]]);
  assert.deepEqual(live.position, { run: 7, number: 9 });
  live.add({ watch: 1, run: 7, lines: [message(10, { method: "_y" })] });
  assert.deepEqual(shown().map(([line]) => line), [2, 3, 9, 10]);
  live.add({ watch: 1, run: 8, lines: [message(1, { id: 0, method: "initialize" })] });
  assert.deepEqual(shown(), [[1, "call", ""]]);
});

test("a file that is no recording is refused with its line", () => {
  assert.throws(() => readRecording("{}\n"), /line 1 has no "from"/);
  assert.throws(() => readRecording(`${RECORDING}x`), /line 8 is no JSON/);
  assert.throws(() => readRecording("\n"), /no messages/);
});
