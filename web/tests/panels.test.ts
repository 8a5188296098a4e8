import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, DESKTOP, PHONE, Visit } from "./browser.ts";
import { samples } from "./hub.ts";

const SESSION = "/#/s/gemini/s1";

after(close);

test("a review accepts a hunk, and rejects one after a preview", () =>
  Visit.to(SESSION, PHONE, async (visit) => {
    const { page, hub } = visit;
    await page.waitForSelector(".row-answer");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("button", { name: "Accept", exact: true }).first().click();
    const decided = await hub.called("_attache/decide");
    assert.deepEqual([decided.hunks, decided.decision], [["0.0"], { type: "accept" }]);
    await page.getByText("✓ accepted").waitFor();
    await visit.picture("phone-review");
    await visit.isAccessible();
    await visit.fitsThumbs();
    await page.getByRole("button", { name: "Reject…" }).click();
    await page.getByText("restores src/parser.rs").waitFor();
    await page.getByText("- // The last bracket counts.").waitFor();
    const asked = await hub.called("_attache/restore_preview");
    assert.deepEqual([asked.goal, asked.force], [{ type: "hunks", hunks: ["1.0"] }, false]);
    await page.getByLabel(/also files that others changed/).check();
    assert.equal((await hub.called("_attache/restore_preview")).force, true);
    await page.getByRole("button", { name: "Reject the change" }).click();
    assert.deepEqual(await hub.called("_attache/restore"), { preview: 1, what: "files" });
    await page.getByRole("button", { name: "Comment" }).first().click();
    await page.getByLabel("Comment for the agent").fill("Use rsplit");
    await page.getByRole("button", { name: "Keep the comment" }).click();
    const { decision } = await hub.called("_attache/decide");
    assert.deepEqual(decision, { type: "comment", text: "Use rsplit" });
  }));

test("a rewind previews and says what goes back", () =>
  Visit.to(SESSION, DESKTOP, async (visit) => {
    const { page, hub } = visit;
    await page.getByRole("button", { name: "Rewind" }).click();
    await page.locator(".points").getByRole("button", { name: /Fix the parser/ }).click();
    await page.getByText("a new session begins").waitFor();
    await visit.isAccessible();
    await page.getByLabel("Conversation", { exact: true }).last().check();
    await page.getByRole("button", { name: "Go back" }).click();
    assert.deepEqual(await hub.called("_attache/restore"), { preview: 1, what: "conversation" });
    const { goal } = await hub.called("_attache/restore_preview");
    assert.deepEqual(goal, { type: "point", id: "p1" });
  }));

test("a restore is stopped, and can be confirmed again", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.getByRole("button", { name: "Rewind" }).click();
    await page.locator(".points").getByRole("button", { name: /Fix the parser/ }).click();
    hub.held.add("_attache/restore");
    await page.getByRole("button", { name: "Go back" }).click();
    await hub.called("_attache/restore");
    await hub.called("_attache/restore_preview");
    hub.held.clear();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    assert.equal(typeof (await hub.called("$/cancel_request")).requestId, "number");
    await page.getByText("Stopped: nothing was restored.").waitFor();
    await hub.called("_attache/restore_preview");
    await page.getByRole("button", { name: "Go back" }).click();
    assert.equal((await hub.called("_attache/restore")).preview, 1);
  }));

test("options are set, and text is found", () =>
  Visit.to(SESSION, DESKTOP, async (visit) => {
    const { page, hub } = visit;
    await page.getByRole("button", { name: /^Options/ }).click();
    await visit.isAccessible();
    await page.getByLabel("Model", { exact: true }).selectOption("small");
    const set = await hub.called("_attache/option");
    assert.deepEqual([set.option, set.value], ["model", "small"]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Search" }).last().click();
    await page.getByLabel("Words").fill("brackets");
    await page.keyboard.press("Enter");
    assert.equal((await hub.called("_attache/search")).words, "brackets");
    await page.locator(".places-found button").click();
    await page.waitForSelector("[data-row='0'] .found");
  }));

test("a session is opened and changed", () =>
  Visit.to("/", PHONE, async (visit) => {
    const { page, hub } = visit;
    await page.getByRole("button", { name: "New session" }).click();
    await visit.isAccessible();
    await page.getByLabel("gemini").check();
    await page.getByLabel("Folder").fill("/home/ann/parser");
    await page.getByRole("button", { name: "Open the session" }).click();
    const opened = await hub.called("_attache/open");
    assert.deepEqual([opened.agent, opened.cwd], ["gemini", "/home/ann/parser"]);
    await page.waitForSelector(".row-answer");
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.getByRole("button", { name: "Change Write the documentation" }).click();
    await page.getByLabel("Title", { exact: true }).fill("Docs");
    await page.getByRole("button", { name: "Rename" }).click();
    const { change, sessionId } = await hub.called("_attache/change");
    assert.deepEqual([sessionId, change], ["s2", { type: "rename", title: "Docs" }]);
  }));

test("a new session can be described before the hub has said which agents there are", () =>
  Visit.to("/", PHONE, async ({ page, hub }) => {
    await page.locator(".session").first().waitFor();
    hub.hub({ agents: [] });
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByLabel("Folder").fill("/home/ann/parser");
    const open = page.getByRole("button", { name: "Open the session" });
    assert.equal(await open.isEnabled(), false);
    hub.hub({});
    await open.click();
    assert.equal((await hub.called("_attache/open")).cwd, "/home/ann/parser");
  }));

test("a device that only watches asks for more", () =>
  Visit.to(
    SESSION,
    PHONE,
    async (visit) => {
      const { page, hub } = visit;
      await page.waitForSelector(".row-answer");
      hub.change(samples["asked"]);
      const yes = page.getByRole("button", { name: /^yes/ });
      await yes.waitFor();
      assert.equal(await yes.isDisabled(), true);
      await visit.picture("phone-watch");
      await visit.isAccessible();
      await page.getByRole("button", { name: "Ask for answer" }).click();
      assert.deepEqual(await hub.called("_attache/ask_scope"), { scope: "answer" });
      hub.scope = "answer";
      hub.hub({});
      await page.waitForFunction(
        () => !document.querySelector<HTMLButtonElement>(".choice button")?.disabled,
      );
      assert.equal(await page.getByRole("button", { name: "Send the prompt" }).count(), 0);
      assert.equal(await page.getByRole("button", { name: "Queue the prompt" }).isDisabled(), true);
    },
    (hub) => {
      hub.scope = "watch";
    },
  ));

test("devices are listed, and changed on the machine of the hub", () =>
  Visit.to(
    "/",
    DESKTOP,
    async (visit) => {
      const { page, hub } = visit;
      await page.getByRole("button", { name: "Grant answer" }).click();
      const changed = (): Promise<any> => hub.called("_attache/device");
      const granted = { type: "scope", scope: "answer" };
      assert.deepEqual(await changed(), { id: "d2", change: granted });
      await page.getByRole("button", { name: "Devices" }).click();
      await page.getByRole("button", { name: "Revoke" }).waitFor();
      await visit.isAccessible();
      await page.getByLabel("also protected files").click();
      const files = { type: "protected_files", allowed: true };
      assert.deepEqual(await changed(), { id: "d1", change: files });
      await page.getByLabel("What phone may do").selectOption("watch");
      const scope = { type: "scope", scope: "watch" };
      assert.deepEqual(await changed(), { id: "d1", change: scope });
      await page.getByRole("button", { name: "Revoke" }).click();
      assert.deepEqual(await changed(), { id: "d1", change: { type: "revoke" } });
    },
    (hub) => {
      hub.local = true;
    },
  ));

test("a remote device says how to change devices", () =>
  Visit.to("/", PHONE, async (visit) => {
    const { page } = visit;
    await page.getByText("attache serve devices grant d2 answer").waitFor();
    await page.getByRole("button", { name: "Devices" }).click();
    await page.locator(".device").getByText("control").waitFor();
    await visit.picture("phone-devices");
    await visit.isAccessible();
    await visit.fitsThumbs();
    for (const name of ["Revoke", "Grant answer"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0);
    }
  }));

for (const scheme of ["dark", "light"] as const) {
  for (const [name, size] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    test(`axe finds nothing at ${name} size, ${scheme}`, () =>
      Visit.to("/", { ...size, colorScheme: scheme }, async (visit) => {
        const { page, hub } = visit;
        await page.waitForSelector(".session");
        await visit.picture(`${name}-${scheme}-list`);
        await visit.isAccessible();
        if (name === "phone") await visit.fitsThumbs();
        await page.goto(visit.address + SESSION);
        for (const top of [0, 500, 100_000]) {
          await page.waitForSelector(".row");
          await page.evaluate(`document.querySelector(".scroller").scrollTop = ${top}`);
          await page.waitForTimeout(100);
          await visit.picture(`${name}-${scheme}-rows-${top}`);
          await visit.isAccessible();
        }
        hub.change(samples["asked"]);
        await page.waitForSelector(".question");
        await visit.picture(`${name}-${scheme}-question`);
        await visit.isAccessible();
        if (name === "phone") await visit.fitsThumbs();
      }));
  }
}

test("a login trades the code for the secret of the tab", () =>
  Visit.to("/login#one-time-code", PHONE, async ({ page, hub }) => {
    await page.waitForSelector(".session");
    const [login] = hub.logins as [{ code: string; name: string }];
    assert.equal(login.code, "one-time-code");
    assert.match(login.name, / on /);
    assert.deepEqual(hub.protocols, ["acp", "attache.tab-secret"]);
  }));

test("a new tab gets a secret of its own, and connects with it at once", () =>
  Visit.to("/", PHONE, async ({ page, hub }) => {
    await page.waitForSelector(".session");
    assert.deepEqual(hub.protocols, ["acp", "attache.renewed-secret"]);
  }));

test("a page that was disconnected says why and what to do", () =>
  Visit.to("/", PHONE, async (visit) => {
    const { page, hub } = visit;
    await page.waitForSelector(".session");
    hub.forgetsDevices = true;
    hub.drop();
    await page.waitForURL("**/login");
    await page.getByRole("alert").getByText("somebody revoked the device").waitFor();
    await visit.picture("phone-disconnected");
    await visit.isAccessible();
    await visit.fitsThumbs();
    await page.reload();
    await page.getByLabel("Code").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  }));

test("the login page is accessible and waits for a code", () =>
  Visit.to("/login", PHONE, async (visit) => {
    await visit.page.getByLabel("Code").waitFor();
    await visit.isAccessible();
    await visit.fitsThumbs();
    assert.deepEqual(visit.hub.logins, []);
  }));
