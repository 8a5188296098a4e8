// The page and a real hub together, as a new user goes the way.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { close, DESKTOP, fitsThumbs, isAccessible, launch, PHONE, picture } from "./browser.ts";
import { HubProcess, LONG } from "./hub_process.ts";

after(close);

/** Two places far from each other, so that a change of both has two parts. */
function program(name: string, later = name): string {
  const between = Array.from({ length: 20 }, (_, at) => `    step(${at});\n`).join("");
  return `fn main() {\n    let ${name} = 1;\n${between}    show(${later});\n}\n`;
}

/** The folder of a build of the page, to try it with a program that embeds an earlier one. */
const PAGE = process.env["PAGE"];

/** Puts the files of a folder into the hub's answers, and leaves their headers. */
async function replacePage(context: BrowserContext, folder: string): Promise<void> {
  await context.route(/\.(js|css)$/, async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    const response = await route.fetch();
    await route.fulfill({ response, body: readFileSync(join(folder, name)) });
  });
}

interface Visited {
  hub: HubProcess;
  context: BrowserContext;
  page: Page;
}

/** Logs a new device in. Fails at the end if a page of it reported an error. */
async function visit(
  options: BrowserContextOptions,
  scope: "answer" | "control",
  run: (visited: Visited) => Promise<void>,
): Promise<void> {
  const hub = new HubProcess();
  hub.write("main.rs", program("total"));
  let context: BrowserContext | undefined;
  try {
    await hub.start();
    context = await (await launch()).newContext(options);
    context.setDefaultTimeout(LONG);
    if (PAGE !== undefined) await replacePage(context, PAGE);
    const errors: string[] = [];
    context.on("weberror", (error) => errors.push(String(error.error().stack)));
    // The browser reports what the hub's Content-Security-Policy forbids there.
    context.on("console", (message) => {
      const isNetwork = /WebSocket connection|ERR_CONNECTION|Failed to load/.test(message.text());
      if (message.type() === "error" && !isNetwork) errors.push(message.text());
    });
    const page = await context.newPage();
    await page.goto(await hub.login(scope));
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.waitForSelector(".banner", { state: "detached" });
    await run({ hub, context, page });
    assert.deepEqual(errors, []);
  } finally {
    await context?.close();
    await hub.stop();
  }
}

const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("button", { name });

const prompt = (page: Page): Locator => page.getByLabel("Prompt", { exact: true });

const secret = (page: Page): Promise<string | null> =>
  page.evaluate(() => sessionStorage.getItem("attache.secret"));

/** The texts of the rows that are drawn, by their places, without the time of the day. */
async function rows(page: Page): Promise<Map<number, string>> {
  const drawn = await page.locator("article.row").evaluateAll((all) =>
    all.map((row): [number, string] => {
      const copy = row.cloneNode(true) as HTMLElement;
      for (const time of copy.querySelectorAll("time")) time.remove();
      return [Number(row.ariaPosInSet), copy.textContent ?? ""];
    }),
  );
  return new Map(drawn);
}

async function allow(page: Page): Promise<void> {
  await page.locator(".question").getByRole("button").first().click();
  await page.waitForSelector(".question", { state: "detached" });
}

async function ready(page: Page): Promise<void> {
  await page.waitForSelector(".question", { state: "detached" });
  await button(page, "Send the prompt").waitFor();
}

test("a phone answers, gets control, reviews, rewinds and is revoked", () =>
  visit(PHONE, "answer", async ({ hub, context, page }) => {
    assert.equal(new URL(page.url()).hash, "", "the code does not stay in the address");
    await page.getByText("No sessions.").waitFor();
    await picture(page, "real-1-empty");
    await isAccessible(page);

    // Another client begins a session, and its turn asks.
    const other = await hub.program();
    const sessionId = await other.open(hub.folder);
    const turn = other.prompt(sessionId, "rename total to sum in main.rs");
    const waiting = page.locator(".attention .session");
    await waiting.waitFor();
    await picture(page, "real-2-attention");
    await fitsThumbs(page);
    await waiting.click();
    await page.locator(".question").waitFor();
    await picture(page, "real-3-question");
    await fitsThumbs(page);
    await isAccessible(page);
    await allow(page);
    assert.equal(await turn, "end_turn");
    assert.equal(hub.read("main.rs"), program("sum"));
    other.close();
    await picture(page, "real-4-answered");

    // It may do more once a person at the hub says so.
    await button(page, "Ask for control").click();
    await page.getByText("A person at the machine of the hub decides.").waitFor();
    await picture(page, "real-5-asked");
    const { id, scope } = await hub.device();
    assert.equal(scope, "answer");
    await hub.devices("grant", id, "control");
    await page.waitForSelector(".needs-scope", { state: "detached" });
    await prompt(page).fill("rename sum to amount in main.rs");
    await button(page, "Send the prompt").tap();
    await page.locator(".question").waitFor();
    await allow(page);
    await ready(page);
    assert.equal(hub.read("main.rs"), program("amount"));
    await picture(page, "real-6-prompted");

    // One of two changes goes back.
    await button(page, "Review").tap();
    const reject = button(page, "Reject…");
    await reject.first().waitFor();
    await picture(page, "real-7-review");
    await fitsThumbs(page);
    await isAccessible(page);
    await reject.first().tap();
    const confirm = button(page, "Reject the change");
    await confirm.waitFor();
    await picture(page, "real-8-preview");
    await confirm.tap();
    await page.getByText("✗ rejected").waitFor();
    await picture(page, "real-9-rejected");
    assert.equal(hub.read("main.rs"), program("total", "amount"));
    await page.keyboard.press("Escape");

    await button(page, "Rewind").tap();
    const point = button(page.locator(".points"), /rename total to sum/);
    await point.waitFor();
    await picture(page, "real-10-points");
    await point.tap();
    await page.getByLabel("Files", { exact: true }).check();
    await picture(page, "real-11-rewind");
    await button(page, "Go back").tap();
    await page.locator(".points").waitFor();
    assert.equal(hub.read("main.rs"), program("total"));
    await page.keyboard.press("Escape");

    // Nothing is lost with the page, the connection or the hub.
    const address = page.url();
    await prompt(page).fill("not sent\nyet");
    await page.reload();
    await page.locator(".row-prompt").first().waitFor();
    assert.equal(page.url(), address);
    assert.equal(await prompt(page).inputValue(), "not sent\nyet");
    const second = await context.newPage();
    await second.goto(address);
    await second.locator(".row-prompt").first().waitFor();
    assert.ok(await secret(second));
    assert.notEqual(await secret(second), await secret(page));
    await second.close();

    const before = await rows(page);
    const count = await page.locator("article.row").first().getAttribute("aria-setsize");
    await hub.kill();
    await page.locator(".banner").getByText("Not connected").waitFor();
    await prompt(page).press("ControlOrMeta+End");
    await prompt(page).pressSequentially(", and typed offline");
    await picture(page, "real-12-lost");
    await hub.start();
    await page.waitForSelector(".banner", { state: "detached" });
    await ready(page);
    const kept = "not sent\nyet, and typed offline";
    assert.equal(await prompt(page).inputValue(), kept);
    // The hub has it, so a browser that knows nothing of this session shows it.
    const another = await (await launch()).newContext(PHONE);
    const fresh = await another.newPage();
    await fresh.goto(await hub.login("control"));
    await fresh.getByRole("heading", { name: "Sessions" }).waitFor();
    await fresh.goto(address);
    await fresh.waitForFunction(
      (text) => document.querySelector<HTMLTextAreaElement>(".composer textarea")?.value === text,
      kept,
    );
    await another.close();
    await prompt(page).fill("count to 3");
    await button(page, "Send the prompt").tap();
    await page.locator(".row-answer").getByText(/3/).last().waitFor();
    await ready(page);
    await picture(page, "real-13-back");
    const now = await rows(page);
    const [at] = [...now].find(([, text]) => text.includes("count to 3")) ?? [];
    assert.equal(at, Number(count) + 1, "no row is lost or there twice");
    const both = [...before].filter(([place]) => now.has(place));
    assert.ok(both.length > 0);
    assert.deepEqual(both, both.map(([place]) => [place, now.get(place)]));

    await hub.devices("revoke", id);
    await page.waitForURL("**/login");
    await page.getByRole("alert").getByText("somebody revoked the device").waitFor();
    await picture(page, "real-14-revoked");
    await isAccessible(page);
  }));

/** A photo as a phone takes it: larger than models read. */
async function photo(page: Page): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [4032, 3024];
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = "teal";
    pen.fillRect(0, 0, 4032, 1500);
    return canvas.toDataURL("image/jpeg").split(",")[1]!;
  });
  return { name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from(base64, "base64") };
}

test("a phone sends a photo, and learns if the agent takes none", () =>
  visit(PHONE, "control", async ({ hub, page }) => {
    const script = fileURLToPath(new URL("../measure/long_agent.mjs", import.meta.url));
    await hub.addAgent("looking", process.execPath, script);
    await page.reload();
    const open = async (agent: string | null): Promise<void> => {
      await button(page, "New session").tap();
      // Otherwise it is the built-in agent.
      if (agent !== null) await page.getByRole("radio", { name: agent }).check();
      await page.getByLabel("Folder").fill(hub.folder);
      await button(page, "Open the session").tap();
    };
    await open("looking");
    await page.locator("input[type=file]").setInputFiles(await photo(page));
    await page.locator(".attachments").getByText("photo.jpg").waitFor();
    await picture(page, "real-30-photo");
    await fitsThumbs(page);
    await prompt(page).fill("4");
    await button(page, "Send the prompt").tap();
    await page.waitForSelector(".attachments", { state: "detached" });
    await page.locator(".row-prompt .attachment").getByText("image/jpeg").waitFor();
    await page.locator(".row-answer").waitFor();
    await picture(page, "real-31-photo-sent");
    await page.getByRole("link", { name: "All sessions" }).tap();
    await open(null);
    await button(page, "Attach an image").waitFor({ state: "detached" });
    await page.locator("input[type=file]").setInputFiles(await photo(page));
    await page.getByText("attache takes no images").waitFor();
    await picture(page, "real-31-photo-refused");
    await fitsThumbs(page);
  }));

test("a phone takes files and conversation back", () =>
  visit(PHONE, "control", async ({ hub, page }) => {
    await button(page, "New session").tap();
    await page.getByLabel("Folder").fill(hub.folder);
    await button(page, "Open the session").tap();
    for (const [from, to] of [["total", "sum"], ["sum", "amount"]]) {
      await prompt(page).fill(`rename ${from} to ${to} in main.rs`);
      await button(page, "Send the prompt").tap();
      await page.locator(".question").waitFor();
      await allow(page);
      await page.locator(".row-answer").getByText(`${from} is now ${to}`).waitFor();
      await ready(page);
    }
    assert.equal(hub.read("main.rs"), program("amount"));
    const address = page.url();
    await button(page, "Rewind").tap();
    await button(page.locator(".points"), /rename sum to amount/).tap();
    const both = page.getByLabel("Files and conversation", { exact: true });
    await both.waitFor();
    assert.ok(await both.isChecked());
    await picture(page, "real-32-both");
    await isAccessible(page);
    await button(page, "Go back").tap();
    await page.waitForSelector("dialog", { state: "detached" });
    assert.equal(hub.read("main.rs"), program("sum"));
    // This agent cannot go back, so the conversation continues in another session.
    await page.getByText("The conversation continues from an earlier prompt").waitFor();
    assert.notEqual(page.url(), address);
    assert.equal(await page.locator(".row-prompt").count(), 0);
    assert.equal(await prompt(page).inputValue(), "rename sum to amount in main.rs");
    await picture(page, "real-33-rewound");
    // The session goes on from there.
    await prompt(page).fill("rename sum to result in main.rs");
    await button(page, "Send the prompt").tap();
    await page.locator(".question").waitFor();
    await allow(page);
    await page.locator(".row-answer").getByText("sum is now result").waitFor();
    assert.equal(hub.read("main.rs"), program("result"));
  }));

test("a desktop opens a session, follows, queues, searches and sets options", () =>
  visit(DESKTOP, "control", async ({ hub, page }) => {
    await button(page, "New session").click();
    await page.getByLabel("Folder").fill(hub.folder);
    await picture(page, "real-20-new");
    await button(page, "Open the session").click();
    await prompt(page).waitFor();
    await prompt(page).fill("count to 100");
    await prompt(page).press("Enter");
    await page.getByText(/\b100\b/).last().waitFor();
    await ready(page);
    await picture(page, "real-21-streamed");

    // The question holds the turn, so the next prompts wait.
    await prompt(page).fill("rename total to sum in main.rs");
    await prompt(page).press("Enter");
    await page.locator(".question").waitFor();
    await prompt(page).fill("count to 4");
    await button(page, "Queue the prompt").click();
    await page.getByText("1 prompt waits").waitFor();
    await picture(page, "real-22-queue");
    await isAccessible(page);
    await allow(page);
    await page.locator(".row-prompt").getByText("count to 4").waitFor();
    await page.waitForSelector(".queue", { state: "detached" });
    await ready(page);
    assert.equal(hub.read("main.rs"), program("sum"));

    await button(page.locator("header"), "Search").click();
    await page.getByLabel("Words").fill("rename total");
    await page.getByLabel("Words").press("Enter");
    const found = page.locator(".places-found button").first();
    await found.waitFor();
    await picture(page, "real-23-found");
    await found.click();
    await page.locator(".row.found").waitFor();

    // The mode says that edits run without a question.
    await page.locator("button.status").click();
    await picture(page, "real-24-options");
    await page.getByLabel("Mode", { exact: true }).selectOption("edit");
    await page.locator("button.status").getByText("Edit").waitFor();
    await page.keyboard.press("Escape");
    await prompt(page).fill("rename sum to amount in main.rs");
    await prompt(page).press("Enter");
    await page.locator(".row-answer").getByText("sum is now amount").waitFor();
    await ready(page);
    assert.equal(hub.read("main.rs"), program("amount"));
    await picture(page, "real-25-edited");
  }));

test("the messages with an agent are watched in another tab", () =>
  visit(DESKTOP, "control", async ({ hub, context, page }) => {
    const other = await hub.program();
    await other.open(hub.folder);
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      page.evaluate(() => void open("/trace", "_blank", "noopener")),
    ]);
    await button(tab, "Watch an agent").click();
    await tab.getByLabel("Agent to watch").selectOption("attache");
    const lines = tab.locator(".trace-line");
    await lines.filter({ hasText: "initialize #" }).first().waitFor();
    other.close();
    await page.locator(".session").first().click();
    await prompt(page).fill("count to 3");
    await prompt(page).press("Enter");
    await lines.filter({ hasText: "session/update" }).first().waitFor();
    const reply = lines.filter({ hasText: "session/prompt" }).filter({ hasText: "reply" });
    await reply.first().waitFor();
    assert.match(await reply.first().innerText(), /\d (ms|s)/);
    await picture(tab, "real-26-trace");
    await isAccessible(tab);
  }));
