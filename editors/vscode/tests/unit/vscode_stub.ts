import { register } from "node:module";

/** What the extension showed, in a test that has no VS Code. */
export const asked: { what: string; text: string }[] = [];

/** What the person picks next in lists. */
export const picks: { label: string }[] = [];

const STUB = `
  const { asked, picks } = globalThis.stubOfVscode;
  const say = (what) => async (text) => void asked.push({ what, text: String(text) });
  export const window = {
    showInformationMessage: say("information"),
    showWarningMessage: say("warning"),
    showErrorMessage: say("error"),
    showQuickPick: async (items) => {
      asked.push({ what: "list", text: items.map(({ label }) => label).join("|") });
      const wanted = picks.shift();
      return items.find(({ label }) => label === wanted?.label);
    },
  };
  export const QuickPickItemKind = { Separator: -1, Default: 0 };
  export const commands = { executeCommand: async () => {} };
  export class Disposable {
    constructor(dispose) { this.dispose = dispose; }
    static from(...all) { return new Disposable(() => all.forEach((each) => each.dispose())); }
  }
  export class EventEmitter {
    #listeners = new Set();
    event = (listener) => {
      this.#listeners.add(listener);
      return new Disposable(() => this.#listeners.delete(listener));
    };
    fire(value) { for (const listener of [...this.#listeners]) listener(value); }
    dispose() { this.#listeners.clear(); }
  }
`;

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

const HOOKS = `
  export const resolve = (specifier, context, next) =>
    specifier === "vscode"
      ? { url: ${JSON.stringify(dataUrl(STUB))}, format: "module", shortCircuit: true }
      : next(specifier, context);
`;

Object.assign(globalThis, { stubOfVscode: { asked, picks } });
register(dataUrl(HOOKS));
