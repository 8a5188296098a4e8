import assert from "node:assert/strict";
import { program } from "./program.ts";
import { visit } from "./visits.ts";

const FILES = { "main.rs": program("total") };

visit("hunks are decided above their lines, and a rewind goes back", FILES, async (all) => {
  const { project, bench } = all;
  const { page } = bench;
  await bench.trust();
  const side = await bench.newSession();
  await side.prompt("rename total to sum in main.rs");
  await side.question.waitFor();
  await side.allow();
  await side.ready();
  await page.locator(".pane-header", { hasText: "Changes" }).click();
  await bench.file("main.rs");
  const lenses = page.locator(".codelens-decoration a");
  await lenses.filter({ hasText: "Accept" }).first().click();
  await bench.row(/let sum = 1;\s*accepted/).waitFor();
  const reject = lenses.filter({ hasText: "Reject" });
  await page.waitForFunction(() => document.querySelectorAll(".codelens-decoration").length === 1);
  await reject.first().click();
  const sure = bench.dialog("This takes the change back in the file");
  // To leave the question changes nothing.
  await sure.getByRole("button", { name: "Cancel" }).click();
  await sure.waitFor({ state: "detached" });
  assert.equal(project.read("main.rs"), program("sum"));
  await reject.first().click();
  await sure.getByRole("button", { name: "Reject the Change" }).click();
  await bench.row(/show\(sum\);\s*rejected/).waitFor();
  assert.equal(project.read("main.rs"), program("sum", "total"));

  await bench.command("Attaché: Rewind…");
  await bench.pick("rename total to sum");
  await bench.pick("Files");
  const back = bench.dialog("Go back in ");
  await back.getByRole("button", { name: "Cancel" }).click();
  await back.waitFor({ state: "detached" });
  assert.equal(project.read("main.rs"), program("sum", "total"));
  await bench.command("Attaché: Rewind…");
  await bench.pick("rename total to sum");
  await bench.pick("Files");
  await back.getByText(/restore\s+main\.rs/).waitFor();
  await back.getByRole("button", { name: "Go Back" }).click();
  await bench.lines().getByText("let total").waitFor();
  assert.equal(project.read("main.rs"), program("total"));
  await bench.command("Attaché: Undo the Last Rewind…");
  await back.getByRole("button", { name: "Go Back" }).click();
  await bench.lines().getByText("let sum").waitFor();
  assert.equal(project.read("main.rs"), program("sum", "total"));
});
