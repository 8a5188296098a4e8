import { render } from "preact";
import { embed } from "./embedded.ts";
import { editor } from "./protocol/editor.ts";
import { follow, hub } from "./store/app.ts";
import { App } from "./view/app.tsx";

const place = document.getElementById("page");
if (place !== null) {
  addEventListener("hashchange", follow);
  addEventListener("online", () => hub.connect());
  if (editor !== null) embed(editor);
  follow();
  hub.connect();
  render(<App />, place);
}
