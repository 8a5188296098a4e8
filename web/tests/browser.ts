// The browser of the tests. A missing one fails the tests.
import axe from "axe-core";
import assert from "node:assert/strict";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { TestHub } from "./hub.ts";

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1360, height: 850 } };

let browser: Browser | undefined;

export async function launch(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  browser ??= await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  return browser;
}

export async function close(): Promise<void> {
  await browser?.close();
}

/** Where to put pictures of the page, if anywhere. */
const PICTURES = process.env["PICTURES"];

/** Takes a picture, if `PICTURES` says where. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

export class Visit {
  private constructor(
    readonly hub: TestHub,
    readonly page: Page,
    readonly address: string,
  ) {}

  /** Opens a path of the page. Fails at its end if the browser reported an error. */
  static async to(
    path: string,
    options: BrowserContextOptions,
    run: (visit: Visit) => Promise<void>,
    prepare: (hub: TestHub) => void = () => {},
  ): Promise<void> {
    const hub = new TestHub();
    prepare(hub);
    const address = await hub.start();
    const context = await (await launch()).newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error.stack)));
    page.on("console", (message) => {
      const isNetwork = /WebSocket connection|ERR_CONNECTION|Failed to load/.test(message.text());
      if (message.type() === "error" && !isNetwork) errors.push(message.text());
    });
    try {
      await page.goto(address + path);
      await run(new Visit(hub, page, address));
      assert.deepEqual(errors, []);
    } finally {
      await context.close();
      await hub.stop();
    }
  }

  /** Takes a picture, if `PICTURES` says where. */
  async picture(name: string): Promise<void> {
    await picture(this.page, name);
  }

  isAccessible(): Promise<void> {
    return isAccessible(this.page);
  }

  fitsThumbs(): Promise<void> {
    return fitsThumbs(this.page);
  }
}

/** Fails if axe finds a violation in what is shown. */
export async function isAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as any).axe.run(document);
    return found.violations.map((each: any) => [
      each.id,
      each.help,
      ...each.nodes.slice(0, 3).map((node: any) => `${node.html} ${node.failureSummary}`),
    ]);
  });
  assert.deepEqual(violations, []);
}

/** Fails if something is wider than the window, or too small for a thumb. */
export async function fitsThumbs(page: Page): Promise<void> {
  const problems = await page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is too wide");
    const targets = "button, select, textarea, a.session, a.icon, input[type=search]";
    for (const element of document.querySelectorAll<HTMLElement>(targets)) {
      const { width, height } = element.getBoundingClientRect();
      if (width === 0 || element.matches(".fold-head, .status, .code-head button")) continue;
      if (height < 43.5) found.push(`${element.outerHTML.slice(0, 120)} is ${height} px high`);
    }
    return found;
  });
  assert.deepEqual(problems, []);
}
