import { webSocketChannel } from "../protocol/channel.ts";

/** The name under which the secret of this tab is kept, as in `login.ts`. */
const SECRET = "attache.secret";

/** The name under which the key is kept with which a tab gets a secret. */
const ORIGIN_KEY = "attache.originKey";

/** The name under which the login page learns that this browser was logged in until now. */
const LOGGED_OUT = "attache.loggedOut";

const address = `${location.origin.replace(/^http/, "ws")}/acp`;

/** Gets a secret for this tab, with the cookie and the key of another tab of this browser. */
async function renewSecret(): Promise<"renewed" | "login" | "silent"> {
  const key = localStorage.getItem(ORIGIN_KEY) ?? "";
  let reply: Response;
  try {
    const headers = { "attache-origin-key": key };
    reply = await fetch("/acp/tab", { method: "POST", headers, credentials: "same-origin" });
  } catch {
    return "silent";
  }
  if (!reply.ok) return reply.status === 401 ? "login" : "silent";
  const { tab } = (await reply.json()) as { tab: string };
  sessionStorage.setItem(SECRET, tab);
  return "renewed";
}

/** Opens channels to the hub of this page, in the name of the device that logged in here. */
export const openChannel = webSocketChannel(
  address,
  () => sessionStorage.getItem(SECRET),
  renewSecret,
);

/** Goes to the login page, which says why. */
export function logOut(): void {
  const known = sessionStorage.getItem(SECRET) ?? localStorage.getItem(ORIGIN_KEY);
  if (known !== null) sessionStorage.setItem(LOGGED_OUT, "yes");
  sessionStorage.removeItem(SECRET);
  location.assign("/login");
}
