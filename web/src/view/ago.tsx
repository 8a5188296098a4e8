import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { duration } from "../text.ts";

/** The time, which ticks while the page is in view. */
const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, 1000);

/** How long ago something began. */
export function Ago({ since }: { since: number }): JSX.Element {
  return <time>{duration(now.value - since)}</time>;
}

/** The seconds until a time. */
export function Until({ at }: { at: number }): JSX.Element {
  return <time>{Math.max(0, Math.ceil((at - now.value) / 1000))} s</time>;
}
