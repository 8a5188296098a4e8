import assert from "node:assert/strict";
import { visit } from "./visits.ts";

visit("nothing is lost with the window or the extension host", {}, async (all) => {
  const { server, project, bench } = all;
  const { page } = bench;
  await bench.trust();
  await bench.newSession();
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

  await bench.closeNotifications();
  await bench.leavePages();
  await server.killExtensionHosts();
  // The new extension host notifies of the question again.
  await bench.notification(/touch later\.txt/).waitFor();
  // VS Code gives the view to the new host; the extension replaces the tab, which it does not give.
  for (const place of ["side", "tab"] as const) {
    const restarted = await bench.session(place);
    await restarted.question.waitFor();
    assert.equal(await restarted.field.inputValue(), "not sent\nyet");
  }
  // VS Code hides notifications after a while; the question stays.
  await bench.command("Attaché: Answer Question…");
  await bench.pick("yes: Allow once");
  for (const place of ["side", "tab"] as const) await (await bench.session(place)).ready();
  assert.equal(project.read("later.txt"), "");
});
