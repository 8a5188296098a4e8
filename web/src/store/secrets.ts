import { webSocketChannel } from "../protocol/channel.ts";
import { LOGGED_OUT, ORIGIN_KEY, SECRET } from "./secret_names.ts";

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
