// The page inside of an editor: addresses come from the editor, and links stay in the page.
import type { Editor, FromEditor } from "./protocol/editor.ts";
import { inserted, panel } from "./store/app.ts";

/** The panel to open once the address is shown. */
let wanted: string | null = null;

/**
 * Begins to follow the editor, at the address that it names or that was shown last. Call this after
 * the page follows its address.
 */
export function embed(editor: Editor): void {
  addEventListener("message", ({ data }: MessageEvent<FromEditor>) => {
    if (editor.receive(data)) return;
    if (data.type === "show") show(data.address, data.panel);
    else if (data.type === "insert") inserted.value = { text: data.text, files: data.files };
  });
  addEventListener("hashchange", () => {
    panel.value = wanted;
    wanted = null;
    editor.shown(location.hash);
  });
  // A webview follows no links to parts of its page.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const address = link?.getAttribute("href");
    if (!address?.startsWith("#/")) return;
    event.preventDefault();
    show(address, null);
  });
  const last = document.body.dataset["address"] || editor.getItem("address");
  if (last) location.hash = last;
}

function show(address: string, named: string | null): void {
  wanted = named;
  if (location.hash !== address) location.hash = address;
  else panel.value = wanted;
}
