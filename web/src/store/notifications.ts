import type { AttentionItem, HubChanged } from "../../../crates/serve/types.ts";
import { plain } from "../text.ts";

function nameOf(item: AttentionItem): string {
  return `${item.agent}/${item.session ?? ""}/${item.question ?? item.reason}`;
}

/** Returns what needs the person now and did not before. */
export function newAttention(before: HubChanged, now: HubChanged): AttentionItem[] {
  const known = new Set(before.list.attention.map(nameOf));
  return now.list.attention.filter((item) => !known.has(nameOf(item)));
}

/** Whether the browser can show notifications here, and if not, why. */
export function notificationsMissing(): string | null {
  if (!window.isSecureContext) {
    return "Notifications need HTTPS: start the hub with --tls-cert and --tls-key.";
  }
  if (!("Notification" in window)) return "This browser has no notifications for pages.";
  if (Notification.permission === "denied") {
    return "Notifications are blocked for this page in the settings of the browser.";
  }
  return null;
}

export function notificationsOn(): boolean {
  return notificationsMissing() === null && Notification.permission === "granted";
}

/** Notifies the person while the page is open but not in view. */
export function notifyAbout(before: HubChanged, now: HubChanged): void {
  if (document.visibilityState === "visible" || !notificationsOn()) return;
  for (const item of newAttention(before, now)) {
    const body = plain(item.line);
    try {
      new Notification(plain(item.title) || item.agent, { body, tag: nameOf(item) });
    } catch {
      // Some phones allow notifications only to installed pages.
    }
  }
}
