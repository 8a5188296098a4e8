// What the tests do in the workbench of VS Code.
import { chromium } from "playwright-core";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";

/** How long something may take on a busy machine, in milliseconds. */
export const LONG = 20_000;

const PICTURES = process.env["PICTURES"];

export class Workbench {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(address: string): Promise<Workbench> {
    const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(LONG);
    const workbench = new Workbench(browser, page);
    await page.goto(address);
    await page.locator(".monaco-workbench").waitFor();
    return workbench;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** Takes a picture, if `PICTURES` says where. */
  async picture(name: string): Promise<void> {
    if (PICTURES) await this.page.screenshot({ path: `${PICTURES}/${name}.png` });
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input[type=text]");
    await input.fill(`>${title}`);
    await this.page.locator(`.quick-input-list [aria-label^="${title}"]`).first().click();
  }

  /** Chooses from the open list. */
  async pick(label: string): Promise<void> {
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: label }).first().click();
  }

  /** A row of a tree in the side bar. */
  row(text: string | RegExp): Locator {
    return this.page.locator(".split-view-view .monaco-list-row").filter({ hasText: text }).first();
  }

  /** A notification with this text. */
  notification(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast").filter({ hasText: text }).first();
  }

  /** The page in the webview that is shown, the last one if several are. */
  session(): FrameLocator {
    const webview = this.page.frameLocator("iframe.webview.ready").last();
    return webview.frameLocator("iframe#active-frame");
  }

  /** Allows what the page asks. */
  async allow(): Promise<void> {
    const question = this.session().locator(".question").first();
    await question.getByRole("button").first().click();
  }

  /** The text of the active editor, as it is drawn. */
  lines(): Locator {
    return this.page.locator(".editor-group-container.active .view-lines").first();
  }

  /** Sends a prompt in the page. */
  async prompt(text: string): Promise<void> {
    const field = this.session().getByLabel("Prompt", { exact: true });
    await field.fill(text);
    await field.press("Enter");
  }

  /** Waits until no turn runs. */
  async ready(): Promise<void> {
    await this.session().getByRole("button", { name: "Send the prompt" }).waitFor();
  }
}
