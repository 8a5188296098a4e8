import assert from "node:assert/strict";
import { program } from "./program.ts";
import { visit } from "./visits.ts";

const FILES = { "main.rs": program("total") };

visit("an agent uses the text in the editor, also after a reload", FILES, async (all) => {
  const { project, bench } = all;
  const { page } = bench;
  await bench.trust();
  let side = await bench.newSession("Another");
  await bench.file("main.rs");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("let mine = 1;\n");
  await bench.command("Attaché: Send Prompt…");
  await bench.input.fill("rename total to sum in main.rs");
  await page.keyboard.press("Enter");
  await side.question.waitFor();
  await side.allow();
  await side.ready();
  // The write is one step of undo.
  assert.equal(project.read("main.rs"), `let mine = 1;\n${program("sum")}`);
  await bench.lines().getByText("show").click();
  await page.keyboard.press("Control+z");
  await bench.lines().getByText("show(total)").waitFor();
  await bench.command("File: Save All Files");

  const loaded = page.waitForEvent("load");
  await bench.command("Developer: Reload Window");
  await loaded;
  side = await bench.session("side");
  await side.frame.locator(".composer .send:enabled").waitFor();
  await bench.file("main.rs");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("let later = 1;\n");
  await bench.command("Attaché: Send Prompt…");
  await bench.input.fill("rename total to all in main.rs");
  await page.keyboard.press("Enter");
  await side.question.waitFor();
  await side.allow();
  await side.ready();
  assert.equal(project.read("main.rs"), `let later = 1;\nlet mine = 1;\n${program("all")}`);
});

visit("commands of an agent run in terminals of the window", FILES, async ({ bench }) => {
  const { page } = bench;
  await bench.trust();
  const side = await bench.newSession("Commander");
  const screen = page.locator(".terminal .xterm-rows");
  await side.prompt("printf o%s ne-line");
  await side.question.waitFor();
  assert.equal(await screen.count(), 0);
  await side.allow();
  await screen.filter({ hasText: "one-line" }).first().waitFor();
  await screen.filter({ hasText: "[ended: exit code 0" }).first().waitFor();
  await side.frame.getByText("It wrote one-line and ended: 0.").waitFor();
  await bench.picture("terminal");
  await side.ready();
  // A person ends a command with Ctrl-C in its terminal.
  await side.prompt("sleep 1000");
  await side.question.waitFor();
  await side.allow();
  await screen.filter({ hasText: "> sleep 1000" }).first().waitFor();
  await bench.command("Terminal: Focus Terminal");
  await page.locator(".terminal.xterm.focus").filter({ hasText: "> sleep 1000" }).waitFor();
  await page.keyboard.press("Control+c");
  await side.frame.getByText("ended: SIGKILL.").waitFor();
  await side.ready();
});
