import assert from "node:assert/strict";
import { program } from "./program.ts";
import { visit } from "./visits.ts";

const FILES = { "main.rs": program("total") };

visit("questions, forms and options are lists of VS Code", FILES, async ({ project, bench }) => {
  const { page } = bench;
  await bench.trust();
  const side = await bench.newSession();
  await bench.file("main.rs");
  // A command is shown as a whole, so the notification can allow it.
  await side.prompt("run touch made.txt");
  const asked = bench.notification(/touch made\.txt/);
  await asked.waitFor();
  const allow = asked.getByRole("button", { name: /Allow once/ });
  await allow.hover();
  await bench.picture("notification");
  await bench.picture("sessions", page.locator(".part.sidebar"));
  await allow.click();
  await side.ready();
  assert.equal(project.read("made.txt"), "");

  await bench.command("Attaché: Open in Editor Tab");
  const tab = await bench.session("tab");
  // A form: to leave it leaves the question open.
  await tab.prompt("ask Which colour: red, blue");
  await tab.question.waitFor();
  await bench.command("Attaché: Answer Question…");
  await bench.pick("send the answer");
  await bench.entries("blue").waitFor();
  await page.keyboard.press("Escape");
  await tab.question.waitFor();
  await bench.command("Attaché: Answer Question…");
  await bench.pick("send the answer");
  await bench.pick("blue");
  await tab.ready();
  await tab.frame.locator(".row-answer", { hasText: "blue" }).first().waitFor();
  await tab.prompt("ask What is its name");
  await tab.question.waitFor();
  await bench.command("Attaché: Answer Question…");
  await bench.pick("send the answer");
  await page.getByText("What is its name").last().waitFor();
  await bench.input.fill("Ann $(x)");
  await page.keyboard.press("Enter");
  await tab.ready();
  await tab.frame.locator(".row-answer", { hasText: "Ann $(x)" }).first().waitFor();

  // An option is set, as the next list shows.
  await bench.command("Attaché: Set Option…");
  await bench.pick("Mode");
  await bench.pick("Plan");
  await tab.frame.getByText(/Plan/).first().waitFor();
  await bench.command("Attaché: Set Option…");
  await bench.entries("Plan").first().waitFor();
  await page.keyboard.press("Escape");
});
