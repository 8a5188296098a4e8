import { computed, signal } from "@preact/signals";
import type {
  Draft,
  HubChanged,
  Scope,
  SessionChanged,
} from "../../../crates/serve/types.ts";
import { editor } from "../protocol/editor.ts";
import { HubConnection, type ConnectionState } from "../protocol/hub.ts";
import type { Method, Params, Result } from "../protocol/methods.ts";
import { CallError } from "../protocol/peer.ts";
import { plain } from "../text.ts";
import { Drafts } from "./drafts.ts";
import { notifyAbout } from "./notifications.ts";
import { logOut, openChannel } from "./secrets.ts";
import { ShownSession } from "./session.ts";

const RANKS: Record<Scope, number> = { watch: 0, answer: 1, control: 2 };

export const connection = signal<ConnectionState>({ kind: "connecting" });
export const hubState = signal<HubChanged | null>(null);
export const shown = signal<ShownSession | null>(null);
/** The panel that is open above the session, such as `review`. */
export const panel = signal<string | null>(null);
/** What a screen reader says. */
export const spoken = signal("");
/** A short message about something that failed or was done. */
export const toast = signal<{ text: string; error: boolean } | null>(null);
/** The row to show, after a search. */
export const goTo = signal<number | null>(null);
/** A draft that another front end wrote and that was not taken over. */
export const offeredDraft = signal<{ session: string; text: string } | null>(null);
/** Changes when the composer must read its draft again. */
export const draftVersion = signal(0);

/** What an editor adds to the next prompt, with the files that it mentions. */
export const inserted = signal<{ text: string; files: string[] } | null>(null);

export const drafts = new Drafts(editor ?? localStorage);

const scope = computed<Scope>(() => {
  const state = connection.value;
  return hubState.value?.scope ?? (state.kind === "online" ? state.negotiated.scope : "watch");
});

export const isOnline = computed(() => connection.value.kind === "online");

/** Whether the page is on the machine of the hub, as in an editor. */
export const isLocal = computed(() => {
  const state = connection.value;
  return state.kind === "online" && state.negotiated.local;
});

/** Whether this page may do what a scope allows. */
export function may(needed: Scope): boolean {
  return RANKS[scope.value] >= RANKS[needed];
}

export const hub = new HubConnection(editor?.open ?? openChannel, {
  state: (state) => {
    if (state.kind === "refused") logOut();
    if (state.kind === "waiting" && connection.value.kind === "online") speak("Connection lost");
    connection.value = state;
  },
  hub: (change) => {
    if (hubState.value !== null) notifyAbout(hubState.value, change);
    hubState.value = change;
  },
});

export function speak(text: string): void {
  spoken.value = text;
}

let toastTimer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, error = false): void {
  toast.value = { text, error };
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.value = null), error ? 10_000 : 4_000);
}

/**
 * Calls a method, and shows the error if it fails. Returns `null` then, and if the hub stopped the
 * call because `signal` aborted.
 */
export async function attempt<M extends Method>(
  method: M,
  params: Params<M>,
  signal?: AbortSignal,
): Promise<Result<M> | null> {
  try {
    return await hub.call(method, params, signal);
  } catch (error) {
    if (error instanceof CallError && error.cancelled && signal?.aborted) return null;
    say(error instanceof Error ? error.message : String(error), true);
    return null;
  }
}

/** The address of a session in this page. */
export function addressOf(agent: string, sessionId: string): string {
  return `#/s/${encodeURIComponent(agent)}/${encodeURIComponent(sessionId)}`;
}

/** Shows what the address of the page names. */
export function follow(): void {
  const match = /^#\/s\/([^/]+)\/(.+)$/.exec(location.hash);
  panel.value = null;
  if (match === null) {
    shown.value = null;
    void hub.watchSession(null);
    return;
  }
  const agent = decodeURIComponent(match[1] ?? "");
  const sessionId = decodeURIComponent(match[2] ?? "");
  if (shown.value?.agent === agent && shown.value.sessionId === sessionId) return;
  const session: ShownSession = new ShownSession(
    hub,
    agent,
    sessionId,
    (draft) => takeDraft(session, draft),
    (change) => announce(session, change),
  );
  shown.value = session;
  void hub.watchSession(session);
}

function takeDraft(session: ShownSession, draft: Draft): void {
  const own = hubState.value?.clients.find((client) => client.own)?.id ?? null;
  const merge = drafts.merge(session.key, draft, own);
  if (merge.kind === "offer") offeredDraft.value = { session: session.key, text: merge.text };
  if (merge.kind === "adopt") draftVersion.value++;
}

function announce(session: ShownSession, change: SessionChanged): void {
  const asked = change.questions?.[0];
  if (asked) speak(plain(asked.headline));
  else if (change.status?.activity.kind === "idle" && session.loaded.value) speak("Ready");
}
