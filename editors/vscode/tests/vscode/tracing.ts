import { join } from "node:path";
import type { Frame } from "playwright-core";
import { visit } from "./visits.ts";

/** A line of a recording. */
function line(from: "client" | "agent", t: number, message: object): string {
  return `${JSON.stringify({ from, t, message: { jsonrpc: "2.0", ...message } })}\n`;
}

const RECORDING = [
  line("client", 0, { id: 1, method: "initialize", params: { protocolVersion: 1 } }),
  line("agent", 0.25, { id: 1, result: { protocolVersion: 1 } }),
].join("");

/** Waits until the viewer shows the answer to a prompt. */
async function answered(frame: Frame): Promise<void> {
  await frame.locator(".trace-line", { hasText: /session\/prompt.*reply/ }).first().waitFor();
}

visit("a recording is opened, and an agent is watched", { "run.jsonl": RECORDING }, async (all) => {
  const { project, bench } = all;
  const { page } = bench;
  await bench.trust();
  const side = await bench.newSession();
  await bench.command("Attaché: Open Trace…");
  // The dialog proposes a folder once it has read it.
  await bench.entries("run.jsonl").first().waitFor();
  await bench.input.fill(join(project.folder, "run.jsonl"));
  await page.keyboard.press("Enter");
  let { frame } = await bench.session("tab");
  await frame.locator(".trace-line", { hasText: "250.0 ms" }).click();
  await frame.getByText('"protocolVersion": 1').waitFor();

  await frame.getByRole("button", { name: "Watch an agent" }).click();
  await frame.getByLabel("Agent to watch").selectOption("attache");
  await side.prompt("hello");
  await answered(frame);
  await frame.getByRole("button", { name: "Stop" }).click();
  await frame.getByRole("button", { name: "Watch an agent" }).waitFor();

  await bench.leavePages();
  await bench.command("Attaché: Watch Messages of the Agent");
  ({ frame } = await bench.session("tab"));
  // Until somebody watches an agent, the hub keeps only its first messages.
  await frame.locator(".trace-line", { hasText: "initialize" }).first().waitFor();
  await side.prompt("hello");
  await answered(frame);
  await page.mouse.move(800, 850);
  await bench.picture("trace");
});
