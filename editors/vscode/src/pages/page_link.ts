import type { FromEditor, ToEditor } from "../../../../web/src/protocol/editor.ts";
import type { Hub } from "../hub/hub.ts";

interface Call {
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

const FAILED = -32603;
const WATCHING = new Set([
  "_attache/watch_hub",
  "_attache/watch_session",
  "_attache/watch_trace",
]);

/** Lets a page in a webview use the window's connection to the hub. */
export class PageLink {
  private isOpen = false;
  private readonly watches = new Set<number>();

  constructor(
    private readonly hub: Hub,
    private readonly post: (message: FromEditor) => void,
  ) {}

  /** Takes what concerns the connection. Returns whether the message did. */
  receive(message: ToEditor): boolean {
    if (message.type === "open") this.open();
    else if (message.type === "message") void this.call(message.text);
    else if (message.type === "close") this.dispose();
    else return false;
    return true;
  }

  /** Opens or closes the page's channel after the state of the connection changed. */
  follow(): void {
    const { state } = this.hub;
    if (state.kind === "connecting" || !this.isOpen) return;
    if (state.kind === "online") return this.post({ type: "opened" });
    this.isOpen = false;
    this.watches.clear();
    this.post({ type: "closed", why: state.why });
  }

  /** Closes the channel, and ends the watches of the page. */
  dispose(): void {
    this.isOpen = false;
    for (const watch of this.watches) this.unwatch(watch);
    this.watches.clear();
  }

  /** A page that was loaded again opens again: its earlier watches have no reader. */
  private open(): void {
    this.dispose();
    this.isOpen = true;
    if (this.hub.state.kind === "waiting") this.hub.connect();
    this.follow();
  }

  private async call(text: string): Promise<void> {
    const { id, method, params } = JSON.parse(text) as Call;
    if (typeof method !== "string") return;
    try {
      this.reply({ id, result: await this.result(method, params) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.reply({ id, error: { code: FAILED, message } });
    }
  }

  private async result(method: string, params: unknown): Promise<unknown> {
    const { hub } = this;
    if (method === "initialize") {
      const negotiated = hub.state.kind === "online" ? hub.state.negotiated : undefined;
      return { agentCapabilities: { _meta: { attache: negotiated } } };
    }
    if (!method.startsWith("_attache/")) throw new Error(`a page does not call ${method}`);
    const { agent, cwd, sessionId } = (params ?? {}) as Record<string, string | null>;
    // The window opens new sessions itself, so that their agents get the texts of its editors.
    if (method === "_attache/open" && sessionId == null) return hub.newSession(agent!, cwd!);
    const result = await hub.callRaw(method, params);
    if (WATCHING.has(method)) this.watch((result as { watch: number }).watch);
    return result;
  }

  private watch(watch: number): void {
    if (!this.isOpen) return this.unwatch(watch);
    this.watches.add(watch);
    // The page takes notifications also before the answer that says the number of the watch.
    this.hub.watches.add(watch, (method, params) => {
      const text = JSON.stringify({ jsonrpc: "2.0", method, params });
      this.post({ type: "message", text });
    });
  }

  private unwatch(watch: number): void {
    this.hub.watches.remove(watch);
    // It ends with the connection at the latest.
    this.hub.call("_attache/unwatch", { watch }).catch(() => {});
  }

  private reply(reply: object): void {
    this.post({ type: "message", text: JSON.stringify({ jsonrpc: "2.0", ...reply }) });
  }
}
