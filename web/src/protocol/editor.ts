import type { ChannelEvents, OpenChannel } from "./channel.ts";

/** What the page gets from the editor that embeds it. */
export type FromEditor =
  | { type: "opened" }
  | { type: "message"; text: string }
  | { type: "closed"; why: string }
  /** Shows an address, such as `#/s/agent/session`, and a panel of it. */
  | { type: "show"; address: string; panel: string | null }
  /** Adds text to the next prompt, with the files that it mentions by `@path`. */
  | { type: "insert"; text: string; files: string[] }
  /** Shows recordings in the viewer of messages. */
  | { type: "recordings"; files: { name: string; text: string }[] }
  /** Shows the messages with an agent there. */
  | { type: "watch"; agent: string };

/** What the page tells the editor. */
export type ToEditor =
  | { type: "open" }
  | { type: "message"; text: string }
  /** The page needs the channel no longer. */
  | { type: "close" }
  | { type: "shown"; address: string }
  /** The viewer of messages runs. */
  | { type: "ready" };

/** What VS Code offers to a webview. */
interface EditorApi {
  postMessage(message: ToEditor): void;
  getState(): unknown;
  setState(state: Record<string, string>): void;
}

/** The editor around the page. Its state outlives the page, but not its tab or view. */
export class Editor {
  private events: ChannelEvents | null = null;
  private readonly kept: Map<string, string>;

  constructor(private readonly api: EditorApi) {
    this.kept = new Map(Object.entries((api.getState() ?? {}) as Record<string, string>));
  }

  /** Opens the channel to the hub. The editor has one connection for all its pages. */
  readonly open: OpenChannel = (events) => {
    this.events = events;
    this.api.postMessage({ type: "open" });
    return {
      send: (text) => this.api.postMessage({ type: "message", text }),
      close: () => {
        this.api.postMessage({ type: "close" });
        this.closed("closed");
      },
    };
  };

  /** Takes what concerns the channel. Returns whether the message did. */
  receive(message: FromEditor): boolean {
    if (message.type === "opened") this.events?.opened();
    else if (message.type === "message") this.events?.message(message.text);
    else if (message.type === "closed") this.closed(message.why);
    else return false;
    return true;
  }

  shown(address: string): void {
    this.setItem("address", address);
    this.api.postMessage({ type: "shown", address });
  }

  /** Says that the viewer of messages runs. */
  ready(): void {
    this.api.postMessage({ type: "ready" });
  }

  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.kept.set(key, value);
    this.api.setState(Object.fromEntries(this.kept));
  }

  removeItem(key: string): void {
    this.kept.delete(key);
    this.api.setState(Object.fromEntries(this.kept));
  }

  private closed(why: string): void {
    const { events } = this;
    this.events = null;
    events?.closed(why, false);
  }
}

declare const acquireVsCodeApi: (() => EditorApi) | undefined;

/** The editor around the page; `null` in a browser. */
export const editor: Editor | null =
  typeof acquireVsCodeApi === "function" ? new Editor(acquireVsCodeApi()) : null;
