import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { inherited, RunningCommand } from "../../src/terminals/command.ts";
import { OutputBuffer } from "../../src/terminals/output_buffer.ts";
import { PacedOutput } from "../../src/terminals/paced_output.ts";
import { ScreenText } from "../../src/terminals/screen_text.ts";

function line(command: string, args: string[], limit = 1000) {
  return { command, args, cwd: tmpdir(), env: { LEVEL: "2" }, limit };
}

test("an output keeps its end, and no part of a character", () => {
  for (let limit = 0; limit <= 12; limit++) {
    const output = new OutputBuffer(limit);
    for (const text of ["a", "表", "b表", "c"]) output.append(text);
    const text = output.text();
    assert.ok("a表b表c".endsWith(text), `${limit}: ${text}`);
    assert.ok(Buffer.byteLength(text) <= limit && !text.includes("\ufffd"));
    assert.ok(limit - Buffer.byteLength(text) < 3 || text === "a表b表c");
    assert.equal(output.truncated, limit < 9);
  }
});

test("a long output takes little more than its limit", () => {
  const output = new OutputBuffer(10_000);
  for (let at = 0; at < 5000; at++) output.append(`line ${at}\n`);
  assert.ok(output.truncated);
  assert.equal(Buffer.byteLength(output.text()), 10_000);
  assert.ok(output.text().endsWith("line 4999\n"));
});

test("output is shown with colours, and controls nothing else", () => {
  const cases: [string, string][] = [
    ["a\nb\rc", "a\r\nb\rc"],
    ["\x1b[31mred\x1b[0m\x1b[K", "\x1b[31mred\x1b[0m\x1b[K"],
    ["a\x1b]52;c;ZXZpbA==\x07b", "ab"],
    ["a\x1b]0;title\x1b\\b", "ab"],
    ["a\x1b]8;;https://evil.example\x1b\\b\x1b]8;;\x1b\\", "ab"],
    ["a\x1b[2J\x1b[1;1Hb\x1b[6nc", "abc"],
    ["a\x1bP+q\x1b\\b\x1bcc\x1b(0d", "abcd"],
    ["a\x00\x07\x9b5nb", "a5nb"],
    ["\x1b[31", ""],
    ["\x1b\u00e9a", "\u00e9a"],
  ];
  for (const [output, shown] of cases) {
    assert.equal(new ScreenText().take(output), shown, JSON.stringify(output));
    // However the output is split.
    const screen = new ScreenText();
    assert.equal([...output].map((each) => screen.take(each)).join(""), shown);
  }
  // A sequence without an end hides nothing for ever.
  const screen = new ScreenText();
  const shown = screen.take(`\x1b]52;${"x".repeat(300)}`) + screen.take("seen");
  assert.ok(shown.endsWith("seen") && !shown.includes("\x1b"));
});

test("no shell reads the words of a command", async () => {
  const words = ["$HOME", "a b", ";", "`id`", "*", "'\"", ""];
  const running = await RunningCommand.start(line("printf", ["%s|", ...words]), () => {});
  assert.deepEqual(await running.ended, { exitCode: 0, signal: null });
  assert.equal(running.output.text(), words.map((word) => `${word}|`).join(""));
});

test("a command gets its variables, and none that control the editor", async () => {
  const running = await RunningCommand.start(line("/bin/sh", ["-c", "printf $LEVEL"]), () => {});
  await running.ended;
  assert.equal(running.output.text(), "2");
  const editor = { VSCODE_IPC_HOOK_CLI: "x", ELECTRON_RUN_AS_NODE: "1" };
  const all = { PATH: "/bin", ATTACHE_TOKEN: "t", ...editor };
  assert.deepEqual(inherited(all), { PATH: "/bin" });
});

test("a kill ends the command with the processes that it started", async () => {
  let started = (): void => {};
  const printed = new Promise<void>((resolve) => (started = resolve));
  const script = "sleep 1000 & echo ready; wait";
  const running = await RunningCommand.start(line("/bin/sh", ["-c", script]), () => started());
  await printed;
  running.kill();
  assert.deepEqual(await running.ended, { exitCode: null, signal: "SIGKILL" });
  // The pipe of its child is closed as well, so the output is whole.
  assert.equal(running.output.text(), "ready\n");
});

test("a command that cannot be started says why", async () => {
  await assert.rejects(RunningCommand.start(line("/none/such", []), () => {}), /cannot run \/none/);
  const nowhere = { ...line("true", []), cwd: "/none/such" };
  await assert.rejects(RunningCommand.start(nowhere, () => {}), /there is no folder \/none\/such/);
});

test("an exit code is told", async () => {
  const running = await RunningCommand.start(line("/bin/sh", ["-c", "exit 3"]), () => {});
  assert.deepEqual(await running.ended, { exitCode: 3, signal: null });
});

test("a command leaves no process behind", async () => {
  const script = "sleep 1000 >/dev/null 2>&1 & printf $!";
  const running = await RunningCommand.start(line("/bin/sh", ["-c", script]), () => {});
  await running.ended;
  const left = Number(running.output.text());
  assert.ok(left > 1);
  // A process that has ended may still be listed until its parent has noticed.
  const isGone = () => {
    try {
      return / [ZX] /.test(readFileSync(`/proc/${left}/stat`, "utf8"));
    } catch {
      return true;
    }
  };
  for (let tries = 0; tries < 3000 && !isGone(); tries++) await setTimeout(10);
  assert.ok(isGone());
});

test("the terminal gets the end of output that is faster than it", async () => {
  const shown: string[] = [];
  const paced = new PacedOutput((text) => shown.push(text));
  paced.add("before\n");
  assert.deepEqual(shown, []);
  paced.open();
  assert.deepEqual(shown, ["before\n"]);
  for (let at = 0; at < 100_000; at++) paced.add(`line ${at}\n`);
  while (shown.length < 2) await setTimeout(10);
  paced.dispose();
  const [, end = ""] = shown;
  assert.ok(end.length < 140_000 && end.endsWith("line 99999\n"), `${end.length}`);
  assert.match(end, /^\S*\[earlier output is left out\]\S*\r\nline \d+\n/);
});
