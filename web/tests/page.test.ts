import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Row } from "../../crates/serve/types.ts";
import { close, DESKTOP, PHONE, Visit } from "./browser.ts";
import { samples, type TestHub } from "./hub.ts";

const SESSION = "/#/s/gemini/s1";

after(close);

/** A row with this text, as an answer. */
function answer(id: number, text: string): Row {
  const line = [{ text, role: "text" as const }];
  const paragraph = { type: "paragraph" as const, lines: [line] };
  const content = { type: "answer" as const, blocks: [paragraph] };
  return { id, at: 1_795_420_800_000, depth: 0, content };
}

/** A session with many rows of different heights. */
function long(count: number): (hub: TestHub) => void {
  return (hub) => {
    hub.rows = Array.from({ length: count }, (_, id) => {
      const like = samples.session.rows[id % samples.session.rows.length];
      return like && id % 3 > 0 ? { ...like, id } : answer(id, `message ${id}`);
    });
  };
}

/** Whether the list is at its end. */
const atEnd = (): boolean => {
  const list = document.querySelector(".scroller");
  return list !== null && list.scrollHeight - list.scrollTop - list.clientHeight < 30;
};

test("the list says who waits, for what, and opens the session", () =>
  Visit.to("/", DESKTOP, async ({ page }) => {
    const waiting = page.locator(".attention .session");
    assert.match(await waiting.innerText(), /Fix the parser[^]*gemini asks to run git push/);
    assert.equal(await page.locator("#all-sessions ~ ul li").count(), 3);
    await waiting.click();
    await page.waitForSelector(".row-answer");
    assert.match(page.url(), /#\/s\/gemini\/s1$/);
  }));

test("rows of all kinds are shown, and text is never markup", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    assert.equal(await page.locator(".row-answer h2").innerText(), "What changed");
    const link = page.locator(".row-answer a");
    assert.equal(await link.getAttribute("rel"), "noopener noreferrer nofollow");
    assert.equal(await link.getAttribute("href"), "https://example.org/brackets");
    await page.evaluate("document.querySelector('.scroller').scrollTop = 0");
    await page.waitForSelector(".row-prompt");
    await page.waitForSelector("table.diff.beside .changed");
    const evil = answer(8, "<img src=x onerror='document.title=1'><script>1</script>");
    hub.change({ rows: [evil], count: 9 });
    await page.getByRole("button", { name: "1 new message" }).click();
    await page.getByText("<img src=x").waitFor();
    assert.equal(await page.locator(".row img, .row script").count(), 0);
    const unsafe = structuredClone(evil);
    const block = unsafe.content.type === "answer" ? unsafe.content.blocks[0] : undefined;
    if (block?.type === "paragraph" && block.lines[0]?.[0]) {
      block.lines[0][0] = { text: "a trap", role: "text", link: "javascript:alert(1)" };
    }
    hub.change({ rows: [unsafe] });
    await page.getByText("a trap").waitFor();
    assert.equal(await page.getByText("a trap").getAttribute("href"), null);
  }));

test("a stream is followed at the end only", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    for (const each of samples.streamed.slice(0, 30)) hub.change(each);
    await page.waitForSelector("[data-row='9'] .row");
    await page.waitForFunction(atEnd);
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, -700);
    await page.waitForSelector(".to-end");
    const before = await page.evaluate("document.querySelector('.scroller').scrollTop");
    for (const each of samples.streamed.slice(30)) hub.change(each);
    hub.change({ rows: [answer(hub.rows.length, "the last one")], count: hub.rows.length + 1 });
    await page.getByRole("button", { name: /new message/ }).waitFor();
    const later = await page.evaluate("document.querySelector('.scroller').scrollTop");
    assert.equal(later, before, "what the person reads stays where it is");
    await page.getByRole("button", { name: /new message/ }).click();
    await page.getByText("the last one", { exact: true }).waitFor();
    await page.waitForFunction(atEnd);
  }));

test("ten thousand rows draw only what is near the view", () =>
  Visit.to(
    SESSION,
    DESKTOP,
    async ({ page, hub }) => {
      await page.waitForFunction(atEnd);
      const drawn = (): Promise<number> => page.locator("[data-row]").count();
      assert.ok((await drawn()) < 80, String(await drawn()));
      await page.evaluate("document.querySelector('.scroller').scrollTop = 0");
      await page.waitForSelector("[data-row='0'] .row:not(.unknown)");
      const read = await hub.called("_attache/rows");
      assert.equal(read.from, 0);
      assert.ok(read.to >= 200, `rows ahead of the view are read: ${read.to}`);
      assert.ok((await drawn()) < 80, String(await drawn()));
      await page.evaluate("document.querySelector('.scroller').focus()");
      await page.keyboard.press("End");
      await page.waitForFunction(atEnd);
      await page.waitForSelector("[data-row='9999'] .row:not(.unknown)");
    },
    long(10_000),
  ));

test("a permission shows its whole effect and takes a rule", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    hub.change(samples.asked);
    await page.locator(".question").getByText("git push origin fix/parser").first().waitFor();
    await page.getByRole("button", { name: /^always: allows/ }).click();
    await page.getByRole("button", { name: /^In this project/ }).click();
    const first = { agent: "gemini", sessionId: "s1", question: 7 };
    const answer = { type: "choose", choice: 1, rule: 1, why: null };
    assert.deepEqual(await hub.called("_attache/answer"), { ...first, answer });
    await page.getByRole("button", { name: "no, and say why" }).click();
    await page.getByLabel("What should the agent do instead?").fill("Ask Bob first");
    await page.getByRole("button", { name: "Reject and say this" }).click();
    assert.equal((await hub.called("_attache/answer")).answer.why, "Ask Bob first");
    hub.change({ questions: [] });
    await page.waitForSelector(".question", { state: "detached" });
  }));

/** A question whose effect is longer than any window, with all kinds of answers. */
function longQuestion(): unknown {
  const question = structuredClone(samples["asked"].questions[0]);
  const [line] = question.about.effect;
  question.about.effect = Array(300).fill(line);
  const option = question.about.choices.at(-1);
  for (const index of [1, 2, 3]) {
    const label = [{ text: `the agent remembers: number ${index}`, role: "text" }];
    question.about.choices.push({ ...option, label, action: { type: "option", index } });
  }
  return question;
}

/** Whether each button is in view, and is what a thumb on its middle touches. */
async function inReach(page: Page, names: RegExp[]): Promise<void> {
  for (const name of names) {
    const button = page.locator(".question").getByRole("button", { name });
    const { x, y, width, height } = (await button.boundingBox())!;
    const size = page.viewportSize()!;
    assert.ok(x >= 0 && y >= 0 && x + width <= size.width, `${name} at ${x}`);
    assert.ok(y + height <= size.height, `${name} ends at ${y + height}`);
    const isTop = await button.evaluate((own, [left, top]) => {
      return own.contains(document.elementFromPoint(left!, top!));
    }, [x + width / 2, y + height / 2]);
    assert.ok(isTop, `${name} is covered`);
  }
}

for (const [width, height] of [[390, 844], [360, 640], [330, 320], [330, 200]] as const) {
  test(`yes and no stay in reach at ${width}x${height}, however long the question is`, () =>
    Visit.to(SESSION, { ...PHONE, viewport: { width, height } }, async (visit) => {
      const { page, hub } = visit;
      await page.waitForSelector(".row-answer");
      hub.change({ ...samples.asked, questions: [longQuestion()] as never });
      const names = [/^yes: /, /^no: /];
      await page.getByRole("button", { name: /^yes: / }).waitFor();
      await visit.picture(`phone-long-question-${width}x${height}`);
      await inReach(page, names);
      const body = page.locator(".question-body");
      const rest = await body.evaluate((own) => own.scrollHeight - own.clientHeight);
      assert.ok(rest > 1_000, "the effect scrolls");
      await body.evaluate((own) => own.scrollTo(0, own.scrollHeight));
      await inReach(page, names);
      await page.getByRole("button", { name: /^Other answers/ }).tap();
      await page.getByRole("button", { name: /^always: allows/ }).tap();
      await page.getByRole("button", { name: /^In this project/ }).waitFor();
      await visit.picture(`phone-other-answers-${width}x${height}`);
      // A rule is higher than what the lowest window leaves for it.
      await inReach(page, height < 300 ? names : [...names, /^In this session/]);
      await visit.isAccessible();
      await visit.fitsThumbs();
      await page.getByRole("button", { name: /^no: / }).tap();
      const answer = { type: "choose", choice: 2, rule: null, why: null };
      assert.deepEqual((await hub.called("_attache/answer")).answer, answer);
    }));
}

test("a form checks its fields and sends values by name", () =>
  Visit.to(SESSION, PHONE, async (visit) => {
    const { page, hub } = visit;
    await page.waitForSelector(".row-answer");
    hub.change({ questions: samples["asked"].questions.slice(1, 2) });
    const send = page.getByRole("button", { name: "send the answer" });
    await send.click();
    await page.getByRole("alert").getByText(/required|choose/).waitFor();
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Age", { exact: true }).fill("x");
    await page.getByLabel("green").check();
    await page.getByLabel("x", { exact: true }).check();
    await page.getByLabel("z", { exact: true }).check();
    await send.click();
    await page.getByText("Age must be a number").waitFor();
    await page.getByLabel("Age", { exact: true }).fill("30");
    await visit.picture("phone-form");
    await visit.isAccessible();
    await send.click();
    const values = { name: "Ann", age: 30, colour: "green", tags: ["x", "z"], sure: true };
    assert.deepEqual((await hub.called("_attache/answer")).answer, { type: "fill", values });
  }));

test("rare rows are shown", () =>
  Visit.to(
    SESSION,
    DESKTOP,
    async (visit) => {
      const { page } = visit;
      const row = (type: string): Locator => page.locator(`.row-${type}`);
      await row("prompt").getByText("notes.md").waitFor();
      await row("prompt").locator(".attachment").getByText("image/png").waitFor();
      const subagent = row("subagent").locator("a");
      assert.match(await subagent.innerText(), /Subagent: Read the notes\s+running/);
      assert.equal(await subagent.getAttribute("href"), "#/s/gemini/s5");
      const [compacted, failed] = await row("compaction").all();
      assert.match(await failed!.innerText(), /the compaction failed: the model is overloaded/);
      assert.equal(await failed!.getByRole("button").count(), 0, "there is nothing to unfold");
      await compacted!.getByRole("button").click();
      await compacted!.getByText("The parser was fixed.").waitFor();
      await row("notice").getByText("Choose another one.").waitFor();
      await visit.picture("rare-rows");
      await visit.isAccessible();
    },
    (hub) => {
      hub.rows = samples["rare"];
    },
  ));

test("a page to open shows its whole address and warnings", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    hub.change({ questions: samples["asked"].questions.slice(2) });
    await page.getByText("http://bank.example@evil.example/login?state=12345").waitFor();
    await page.getByText("the connection is not encrypted").waitFor();
    assert.match(await page.locator(".question a.button").innerText(), /Open\s+evil.example/);
  }));

test("typed text survives a lost connection, an error and a reload", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    const prompt = page.getByLabel("Prompt", { exact: true });
    await prompt.fill("explain\nit");
    assert.equal((await hub.called("_attache/draft")).text, "explain\nit");
    hub.errors.set("_attache/prompt", "the agent is gone");
    await page.getByRole("button", { name: "Send the prompt" }).click();
    await page.getByRole("alert").getByText("the agent is gone").waitFor();
    assert.equal(await prompt.inputValue(), "explain\nit");
    hub.drop();
    await page.reload();
    await page.waitForSelector(".row-answer");
    assert.equal(await prompt.inputValue(), "explain\nit");
    hub.errors.clear();
    hub.calls.length = 0;
    await prompt.press("Enter");
    const { content } = await hub.called("_attache/prompt");
    assert.deepEqual(content, [{ type: "text", text: "explain\nit" }]);
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
  }));

test("after a lost connection the page goes on from its position", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    hub.change({ rows: [answer(8, "before")], count: 9 });
    await page.getByText("before", { exact: true }).waitFor();
    hub.calls.length = 0;
    hub.drop();
    await page.locator(".banner").getByText("Not connected").waitFor();
    hub.rows.push(answer(9, "after"));
    const { since } = await hub.called("_attache/watch_session");
    assert.equal(since.run, "run");
    hub.change({ rows: [answer(9, "after")], count: 10 });
    await page.getByText("after", { exact: true }).waitFor();
    await page.getByText("before", { exact: true }).waitFor();
    await page.waitForSelector(".banner", { state: "detached" });
  }));

test("commands and files are completed with the keyboard", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    const prompt = page.getByLabel("Prompt", { exact: true });
    await prompt.pressSequentially("/re");
    await page.getByRole("option", { name: /review/ }).waitFor();
    await prompt.press("Enter");
    await prompt.pressSequentially("@pars");
    await page.getByRole("option", { name: "src/main.rs" }).waitFor();
    await prompt.press("ArrowDown");
    await prompt.press("Tab");
    assert.equal(await prompt.inputValue(), "/review @src/main.rs ");
    await prompt.press("Enter");
    const { content } = await hub.called("_attache/prompt");
    const uri = "file:///home/ann/parser/src/main.rs";
    assert.deepEqual(content[1], { type: "resource_link", uri, name: "src/main.rs" });
  }));

test("a photo goes with the prompt", () =>
  Visit.to(SESSION, PHONE, async ({ page, hub }) => {
    await page.waitForSelector(".row-answer");
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk" +
      "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const buffer = Buffer.from(pixel, "base64");
    const photo = { name: "photo.png", mimeType: "image/png", buffer };
    await page.locator("input[type=file]").setInputFiles(photo);
    await page.getByText("photo.png").waitFor();
    await page.getByRole("button", { name: "Send the prompt" }).click();
    const { content } = await hub.called("_attache/prompt");
    assert.deepEqual(content, [{ type: "image", mimeType: "image/png", data: pixel }]);
  }));

test("prompts that wait are edited, moved, sent and removed", () =>
  Visit.to(SESSION, DESKTOP, async ({ page, hub }) => {
    const queue = page.locator(".queue");
    const change = async (): Promise<unknown> => (await hub.called("_attache/queue")).change;
    await queue.getByRole("button", { name: "Move down" }).first().click();
    assert.deepEqual(await change(), { type: "move", id: 1, to: 1 });
    await queue.getByRole("button", { name: "Send now" }).last().click();
    assert.deepEqual(await change(), { type: "send_now", id: 2 });
    await queue.getByRole("button", { name: "Edit" }).first().click();
    await queue.getByLabel("Text of the prompt").fill("another");
    await queue.getByRole("button", { name: "Save" }).click();
    assert.deepEqual(await change(), { type: "edit", id: 1, text: "another" });
    await queue.getByRole("button", { name: "Remove" }).last().click();
    assert.deepEqual(await change(), { type: "remove", id: 2 });
    await queue.getByRole("button", { name: "Go on" }).click();
    assert.deepEqual(await change(), { type: "release" });
  }));
