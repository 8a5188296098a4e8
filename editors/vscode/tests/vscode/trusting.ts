import assert from "node:assert/strict";
import { program } from "./program.ts";
import { visit } from "./visits.ts";

const FILES = { "main.rs": program("total") };

visit("an untrusted folder starts nothing", FILES, async (all) => {
  const { server, bench } = all;
  const { page } = bench;
  await page.getByRole("button", { name: /No, I don't trust/ }).click();
  const restricted = page.getByRole("button", { name: /Restricted Mode/ });
  await restricted.waitFor();
  assert.ok(!server.hasHub());
  await restricted.click();
  await page.getByRole("button", { name: "Trust", exact: true }).click();
  await restricted.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Attaché" }).click();
  await page.getByText("No sessions yet.").first().waitFor();
  assert.ok(server.hasHub());
});

visit("an answer streams beside its plan", FILES, async ({ bench }) => {
  await bench.trust();
  const side = await bench.newSession();
  await bench.file("main.rs");
  await side.prompt("plan Read the file, Rename total, Run the tests");
  await side.frame.locator(".row-plan").first().waitFor();
  await side.ready();
  await side.prompt("count to 50");
  await side.frame.locator(".row-answer", { hasText: /1\s*2/ }).last().waitFor();
  await bench.picture("streaming");
  await side.ready();
});
