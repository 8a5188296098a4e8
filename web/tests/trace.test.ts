// The viewer of messages at `/trace`.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { TraceLine } from "../../crates/serve/types.ts";
import { close, DESKTOP, PHONE, Visit } from "./browser.ts";

after(close);

test("the trace viewer shows a recording with latencies and broken rules", () =>
  Visit.to("/trace", DESKTOP, async (visit) => {
    const { page } = visit;
    const message = (from: string, t: number, message: object): string =>
      JSON.stringify({ from, t, message: { jsonrpc: "2.0", ...message } });
    const lines = [message("client", 0, { id: 1, method: "initialize", params: {} })];
    lines.push(message("agent", 0.25, { id: 1, result: { protocolVersion: 1 } }));
    for (let at = 0; at < 5_000; at++) {
      lines.push(message("agent", at, { method: "session/update", params: { number: at } }));
    }
    const finding = {
      line: 2,
      rule: "INIT-03",
      strength: "MUST",
      by: "agent",
      seen: "no name",
      text: "The agent has a name.",
    };
    const file = (name: string, text: string): object => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    });
    const files = [file("run.jsonl", lines.join("\n")), file("rules", JSON.stringify(finding))];
    await page.locator("input[type=file]").setInputFiles(files as never);
    await page.getByText("5002 of 5002").waitFor();
    assert.ok((await page.locator(".trace-line").count()) < 200);
    const reply = page.locator(".trace-line", { hasText: "breaks INIT-03" });
    assert.match(await reply.innerText(), /250\.0 ms/);
    await reply.click();
    await page.getByText("The agent has a name.").waitFor();
    await visit.picture("trace");
    await visit.isAccessible();
    await page.getByRole("button", { name: "Its call" }).click();
    await page.getByRole("heading", { name: "Line 1" }).waitFor();
    await page.getByLabel("Find messages").fill('"number":4321');
    await page.getByText("1 of 5002").waitFor();
  }));

/** A message at this time, in milliseconds. */
function message(number: number, from: string, at: number, message: object): TraceLine {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  const place = { number, connection: 1, from, at: 1_795_420_800_000_000 + at * 1000 };
  return { ...place, size: text.length, isJson: true, text, broken: [] };
}

const BEGINNING = [
  message(1, "client", 0, { id: 0, method: "initialize", params: { protocolVersion: 1 } }),
  message(2, "agent", 40, { id: 0, result: { protocolVersion: 1 } }),
];

const BROKEN = {
  rule: "RPC-03",
  strength: "must",
  by: "agent",
  seen: "the line is no message",
  text: "Each line is a message.",
};

/** Chooses the agent, and waits until its messages are watched. */
async function watch({ page, hub }: Visit): Promise<any> {
  await page.getByRole("button", { name: "Watch an agent" }).click();
  await page.getByLabel("Agent to watch").selectOption("gemini");
  return hub.called("_attache/watch_trace");
}

test("the messages with an agent are shown as they come, and after a lost connection", () =>
  Visit.to("/trace", DESKTOP, async (visit) => {
    const { page, hub } = visit;
    assert.deepEqual(await watch(visit), { agent: "gemini", since: null });
    hub.trace(7, BEGINNING);
    await page.getByText("2 of 2").waitFor();
    const reply = page.locator(".trace-line", { hasText: "reply" });
    assert.match(await reply.innerText(), /initialize[^]*40\.0 ms/);
    const evil = { ...message(9, "agent", 90, {}), isJson: false, text: "<img src=x>" };
    hub.trace(7, [{ ...evil, broken: [BROKEN] }]);
    await page.getByText("6 messages left out").waitFor();
    await page.locator(".trace-line", { hasText: "breaks RPC-03" }).click();
    await page.getByText("Each line is a message.").waitFor();
    assert.equal(await page.locator(".trace img").count(), 0);
    await visit.picture("trace-live");
    await visit.isAccessible();
    hub.drop();
    const { since } = await hub.called("_attache/watch_trace");
    assert.deepEqual(since, { run: 7, number: 9 });
    hub.trace(7, [message(10, "agent", 95, { method: "session/update", params: { a: 1 } })]);
    await page.getByText("5 of 5").waitFor();
    await page.getByLabel("Kind").selectOption("findings");
    await page.getByText("1 of 5").waitFor();
    await page.getByLabel("Kind").selectOption("all");
    const many = Array.from({ length: 3000 }, (_, at) =>
      message(11 + at, "agent", 100 + at, { method: "session/update", params: { at } }),
    );
    hub.trace(7, many);
    await page.locator(".trace-line", { hasText: "3010" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Watch an agent" }).waitFor();
  }));

test("a device that may not see messages is told why", () =>
  Visit.to(
    "/trace",
    PHONE,
    async (visit) => {
      const { page } = visit;
      await page.getByRole("button", { name: "Watch an agent" }).click();
      await page.getByText("needs the scope control").waitFor();
      await visit.isAccessible();
      await visit.fitsThumbs();
    },
    (hub) => hub.errors.set("_attache/traces", "this needs the scope control"),
  ));
