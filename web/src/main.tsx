import { render } from "preact";
import { follow, hub } from "./store/app.ts";
import { App } from "./view/app.tsx";

const place = document.getElementById("page");
if (place !== null) {
  addEventListener("hashchange", follow);
  addEventListener("online", () => hub.connect());
  follow();
  hub.connect();
  render(<App />, place);
}
