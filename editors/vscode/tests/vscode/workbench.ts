// What the tests do in the workbench of VS Code.
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Frame, Locator, Page } from "playwright-core";

/** How long something may take on a busy machine, in milliseconds. */
export const LONG = Number(process.env["LONG"] ?? 120_000);

const PICTURES = process.env["PICTURES"];

/** Starts the browser that all windows share. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

export class Workbench {
  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async open(browser: Browser, address: string): Promise<Workbench> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 960 } });
    const page = await context.newPage();
    page.setDefaultTimeout(LONG);
    const workbench = new Workbench(context, page);
    await page.goto(address);
    await page.locator(".monaco-workbench").waitFor();
    return workbench;
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  /** Trusts the folder that the window just opened. */
  async trust(): Promise<void> {
    await this.page.getByRole("button", { name: /Yes, I trust/ }).click();
    await this.page.getByRole("tab", { name: "Attaché" }).click();
  }

  /** Opens a new session in the side bar. */
  async newSession(agent = "built-in"): Promise<Conversation> {
    await this.command("Attaché: New Session");
    await this.pick(agent);
    const side = await this.session("side");
    await side.frame.locator(".composer .send:enabled").waitFor();
    return side;
  }

  /** Opens a file of the folder, with the focus. */
  async file(name: string): Promise<void> {
    await this.quickPick("Control+p", name, this.entries(name).first());
    const tab = this.page.locator(".editor-group-container.active .tab.active");
    await tab.filter({ hasText: name }).waitFor();
    await this.lines().locator(".view-line").first().waitFor();
  }

  /** The field of the open list or question. */
  get input(): Locator {
    return this.page.locator(".quick-input-widget input[type=text]");
  }

  /** The dialog with this text. */
  dialog(text: string | RegExp): Locator {
    return this.page.locator(".monaco-dialog-box").filter({ hasText: text });
  }

  /** Takes a picture of the window or of a part, if `PICTURES` says where. */
  async picture(name: string, part: Page | Locator = this.page): Promise<void> {
    if (!PICTURES) return;
    await part.screenshot({ path: `${PICTURES}/${name}.png`, animations: "disabled" });
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    const rows = this.page.locator(".quick-input-list");
    // The label ends with the keys of the command, if it has any.
    const label = (rest: string): Locator => rows.locator(`[aria-label${rest}]`);
    const found = label(`="${title}"`).or(label(`^="${title}, "`)).first();
    await this.quickPick("F1", `>${title}`, found);
  }

  /** Opens a list with a key, types `text`, and chooses an entry. */
  private async quickPick(key: string, text: string, entry: Locator): Promise<void> {
    const end = Date.now() + LONG;
    // A page that just takes the focus takes the key too, or closes the list. No event says so.
    for (let timeout = 5000; ; timeout *= 2) {
      await this.page.keyboard.press(key);
      try {
        await this.input.fill(text, { timeout });
        await entry.click({ timeout });
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  /** Chooses from the open list. */
  async pick(label: string): Promise<void> {
    await this.entries(label).first().click();
  }

  /** The entries of the open list with this text. */
  entries(label: string): Locator {
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    return rows.filter({ hasText: label });
  }

  /** A row of a tree in the side bar. */
  row(text: string | RegExp): Locator {
    return this.page.locator(".split-view-view .monaco-list-row").filter({ hasText: text }).first();
  }

  /** A notification with this text. */
  notification(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast").filter({ hasText: text }).first();
  }

  /** The page in the side bar, or in a tab. */
  async session(place: "side" | "tab"): Promise<Conversation> {
    const end = Date.now() + LONG;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) {
        // A frame that is just being replaced cannot answer.
        if (await frame.evaluate(isPage, place).catch(() => false)) return new Conversation(frame);
      }
      // The page in a webview is written after its frame is attached: no event says when.
      await this.page.waitForTimeout(100);
    }
    throw new Error(`no page in the ${place}`);
  }

  /** Makes `session` return only pages that are loaded from now on. */
  async leavePages(): Promise<void> {
    for (const frame of this.page.frames()) {
      await frame.evaluate(() => document.body?.classList.add("left")).catch(() => {});
    }
  }

  async closeNotifications(): Promise<void> {
    await this.command("Notifications: Clear All Notifications");
    await this.page.locator(".notification-toast").first().waitFor({ state: "detached" });
  }

  /** The text of the active editor, as it is drawn. */
  lines(): Locator {
    return this.page.locator(".editor-group-container.active .view-lines").first();
  }
}

/** Whether a document is a page in this place that was not left. Runs in the frame. */
function isPage(place: string): boolean {
  const names = document.body?.classList;
  return names?.contains(place) && !names.contains("left");
}

/** A page in a webview. */
export class Conversation {
  constructor(readonly frame: Frame) {}

  get field(): Locator {
    return this.frame.getByLabel("Prompt", { exact: true });
  }

  get question(): Locator {
    return this.frame.locator(".question").first();
  }

  /** Sends a prompt. */
  async prompt(text: string): Promise<void> {
    await this.frame.locator(".composer .send:enabled").waitFor();
    await this.field.fill(text);
    await this.field.press("Enter");
  }

  /** Allows what the agent asks. */
  async allow(): Promise<void> {
    await this.question.getByRole("button").first().click();
  }

  /** Waits until no turn runs. */
  async ready(): Promise<void> {
    await this.question.waitFor({ state: "detached" });
    await this.frame.getByRole("button", { name: "Send the prompt" }).waitFor();
  }
}
