import assert from "node:assert/strict";
import { program } from "./program.ts";
import { visit } from "./visits.ts";

const FILES = { "main.rs": program("total"), "lib.rs": program("total") };

visit("a change is asked for, and reviewed by its hunks", FILES, async ({ project, bench }) => {
  const { page } = bench;
  await bench.trust();
  const side = await bench.newSession();
  await bench.file("main.rs");
  // A notification that does not show the change does not offer to allow it.
  await side.prompt("rename total to sum in .");
  const notice = bench.notification(/attache asks for permission: edit/);
  await notice.waitFor();
  await bench.picture("permission");
  assert.equal(await notice.getByRole("button", { name: /Allow once/ }).count(), 0);
  await notice.getByRole("button", { name: /Reject/ }).waitFor();
  // A dismissed notification leaves the question open.
  await notice.hover();
  await notice.locator(".codicon-notifications-clear").click();
  await notice.waitFor({ state: "detached" });
  await bench.row("Waiting for You").waitFor();
  // Nor does the list of answers.
  await bench.command("Attaché: Answer Question…");
  await bench.entries("Show the whole question").waitFor();
  assert.equal(await bench.entries("Allow once").count(), 0);
  await bench.entries("Reject").first().waitFor();
  await page.keyboard.press("Escape");
  assert.equal(project.read("main.rs"), program("total"));
  await side.allow();
  await bench.notification(/attache asks for permission: edit/).waitFor();
  await side.allow();
  await side.ready();
  assert.equal(project.read("main.rs"), program("sum"));
  assert.equal(project.read("lib.rs"), program("sum"));

  // One of four hunks goes back.
  await bench.command("Attaché: Review Changes");
  const accepted = bench.row(/main\.rs\s*changed/);
  await accepted.waitFor();
  const hunk = bench.row("let sum = 1;");
  await page.locator(".monaco-list-row", { hasText: "show(sum);" }).nth(1).waitFor();
  await hunk.hover();
  await hunk.getByRole("button", { name: "Reject Change…" }).click();
  await page.getByText("This takes the change back in the file").waitFor();
  await page.getByRole("button", { name: "Reject the Change" }).click();
  await bench.row(/let sum = 1;\s*rejected/).waitFor();
  const files = ["lib.rs", "main.rs"].map((name) => project.read(name));
  assert.deepEqual(files, [program("total", "sum"), program("sum")]);
  await accepted.hover();
  await accepted.getByRole("button", { name: "Accept Change" }).click();
  await bench.row(/let sum = 1;\s*accepted/).waitFor();
  await bench.closeNotifications();
  // A picture without the hint of what the pointer was on.
  await page.mouse.move(800, 850);
  await page.locator(".workbench-hover").waitFor({ state: "detached" });
  await bench.picture("review");
});
