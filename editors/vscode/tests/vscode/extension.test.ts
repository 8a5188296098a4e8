// The extension in VS Code, with a real hub and the offline agent, as a person goes the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CodeServer } from "./code_server.ts";
import { Workbench } from "./workbench.ts";

/** Two places far from each other, so that a change of both has two hunks. */
function program(name: string, later = name): string {
  const between = Array.from({ length: 20 }, (_, at) => `\tstep(${at});\n`).join("");
  return `fn main() {\n\tlet ${name} = 1;\n${between}\tshow(${later});\n}\n`;
}

async function visit(run: (server: CodeServer, bench: Workbench) => Promise<void>): Promise<void> {
  const server = new CodeServer();
  let bench: Workbench | undefined;
  try {
    await server.start();
    server.write("main.rs", program("total"));
    server.write("lib.rs", program("total"));
    bench = await Workbench.open(server.address);
    await run(server, bench);
  } catch (error) {
    await bench?.picture("failed");
    throw error;
  } finally {
    await bench?.close();
    await server.stop();
  }
}

test("an untrusted folder starts nothing; a trusted one shows, asks, reviews and reloads", () =>
  visit(async (server, bench) => {
    const { page } = bench;
    await page.getByRole("button", { name: /No, I don't trust/ }).click();
    const restricted = page.getByRole("button", { name: /Restricted Mode/ });
    await restricted.waitFor();
    assert.ok(!server.hasHub());
    await restricted.click();
    await page.getByRole("button", { name: "Trust", exact: true }).click();
    await restricted.waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Attaché" }).click();
    await bench.row("No sessions yet").or(page.getByText("No sessions yet.").first()).waitFor();
    assert.ok(server.hasHub());
    await bench.picture("1-trusted");

    await bench.command("Attaché: New Session");
    await bench.pick("built-in");
    const side = await bench.session("side");
    await side.prompt("plan read, write, test");
    await side.frame.locator(".row-plan").first().waitFor();
    await side.ready();
    await side.prompt("count to 50");
    await side.frame.locator(".row-answer", { hasText: "12" }).last().waitFor();
    await bench.picture("2-streaming");
    await side.ready();

    // A notification that does not show the change does not offer to allow it.
    await side.prompt("rename total to sum in .");
    const notice = bench.notification(/attache asks for permission: edit/);
    await notice.waitFor();
    await bench.picture("3-permission");
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
    assert.equal(server.read("main.rs"), program("total"));
    await side.allow();
    await bench.notification(/attache asks for permission: edit/).waitFor();
    await side.allow();
    await side.ready();
    assert.equal(server.read("main.rs"), program("sum"));
    assert.equal(server.read("lib.rs"), program("sum"));

    // One of four hunks goes back.
    await bench.command("Attaché: Review Changes");
    await bench.row("main.rs").waitFor();
    const hunk = bench.row("let sum = 1;");
    await bench.picture("4-review");
    assert.equal(await page.locator(".monaco-list-row", { hasText: "show(sum);" }).count(), 2);
    await hunk.hover();
    await hunk.getByRole("button", { name: "Reject Change…" }).click();
    await page.getByText("This takes the change back in the file").waitFor();
    await bench.picture("5-reject");
    await page.getByRole("button", { name: "Reject the Change" }).click();
    await bench.row(/let sum = 1;\s*rejected/).waitFor();
    const files = ["lib.rs", "main.rs"].map((name) => server.read(name));
    assert.deepEqual(files, [program("total", "sum"), program("sum")]);
    const accepted = bench.row("main.rs");
    await accepted.hover();
    await accepted.getByRole("button", { name: "Accept Change" }).click();
    await bench.row(/let sum = 1;\s*accepted/).waitFor();
    await bench.picture("6-reviewed");

    // A command is shown as a whole, so the notification can allow it.
    await bench.command("Attaché: Open in Editor Tab");
    const tab = await bench.session("tab");
    await tab.prompt("run touch made.txt");
    const asked = bench.notification(/touch made\.txt/);
    await asked.waitFor();
    await bench.picture("7-notification");
    await asked.getByRole("button", { name: /Allow once/ }).click();
    await tab.ready();
    assert.equal(server.read("made.txt"), "");

    // Another agent edits the text that is not saved yet, as one step of undo.
    await bench.command("View: Close All Editors");
    await bench.command("Attaché: New Session");
    await bench.pick("Another");
    await side.frame.getByText("run touch made.txt").first().waitFor({ state: "detached" });
    await side.frame.locator(".composer .send:enabled").waitFor();
    await page.keyboard.press("Control+p");
    await page.locator(".quick-input-widget input[type=text]").fill("main.rs");
    await bench.pick("main.rs");
    await bench.lines().getByText("fn main").waitFor();
    await page.keyboard.type("let mine = 1;\n");
    await bench.command("Attaché: Send Prompt…");
    await page.locator(".quick-input-widget input[type=text]").fill("rename sum to all in main.rs");
    await page.keyboard.press("Enter");
    await side.question.waitFor();
    await side.allow();
    await side.ready();
    assert.equal(server.read("main.rs"), `let mine = 1;\n${program("all")}`);
    await bench.lines().getByText("show").click();
    await page.keyboard.press("Control+z");
    await bench.lines().getByText("show(sum)").waitFor();
    await bench.picture("8-undone");

    // Neither the session nor the draft nor the open question is lost with the window.
    await bench.command("File: Save All");
    await bench.command("Attaché: Open in Editor Tab");
    const opened = await bench.session("tab");
    await opened.prompt("run touch later.txt");
    await bench.notification(/touch later\.txt/).waitFor();
    await opened.field.fill("not sent\nyet");
    const loaded = page.waitForEvent("load");
    await bench.command("Developer: Reload Window");
    await loaded;
    await bench.notification(/touch later\.txt/).waitFor();
    const reloaded = await bench.session("tab");
    await reloaded.question.waitFor();
    assert.equal(await reloaded.field.inputValue(), "not sent\nyet");
    await bench.row("show(all);").waitFor();
    await bench.picture("9-reloaded");
    // VS Code hides notifications after a while; the question stays.
    await bench.command("Attaché: Answer Question…");
    await bench.pick("yes: Allow once");
    await reloaded.ready();
    assert.equal(server.read("later.txt"), "");
  }));
