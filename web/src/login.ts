import { LOGGED_OUT, ORIGIN_KEY, SECRET } from "./store/secret_names.ts";

/** Names this browser for the list of devices. */
function deviceName(): string {
  const systems = ["iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux"];
  const browsers = ["Firefox", "Edg", "Chrome", "Safari"];
  const found = (names: string[]): string | undefined =>
    names.find((name) => navigator.userAgent.includes(name));
  return `${found(browsers) ?? "browser"} on ${found(systems) ?? "a device"}`;
}

const form = document.querySelector("form");
const code = document.querySelector<HTMLInputElement>("#code");
const name = document.querySelector<HTMLInputElement>("#name");
const state = document.querySelector<HTMLElement>("#state");

function show(text: string): void {
  if (state) state.textContent = text;
}

async function logIn(): Promise<void> {
  show("Logging in…");
  const body = JSON.stringify({ code: code?.value.trim(), name: name?.value.trim() });
  let reply: Response;
  try {
    const headers = { "content-type": "application/json" };
    reply = await fetch("/login", { method: "POST", headers, body, credentials: "same-origin" });
  } catch {
    show("The hub does not answer. Check the network, and try again.");
    return;
  }
  if (!reply.ok) {
    const isSlowed = reply.status === 429;
    const why = isSlowed ? "Too many attempts: wait a little." : "The hub refused the code.";
    show(`${why} A code is valid once, for 5 minutes.`);
    return;
  }
  const { tab, originKey } = (await reply.json()) as { tab: string; originKey: string };
  sessionStorage.setItem(SECRET, tab);
  localStorage.setItem(ORIGIN_KEY, originKey);
  location.replace("/");
}

// The code is in the fragment, which no browser sends to a server. It must not stay in the history.
if (sessionStorage.getItem(LOGGED_OUT) !== null) {
  sessionStorage.removeItem(LOGGED_OUT);
  const note = document.querySelector<HTMLElement>("#logged-out");
  if (note) note.hidden = false;
}
const given = location.hash.slice(1).replace(/^code=/, "");
history.replaceState(null, "", "/login");
if (code) code.value = decodeURIComponent(given);
if (name) name.value = deviceName();
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  void logIn();
});
if (given !== "") void logIn();
export {};
