import type { JSX } from "preact";
import { connection, hub, hubState, panel, shown, spoken, toast } from "../store/app.ts";
import { Until } from "./ago.tsx";
import { Conversation } from "./conversation.tsx";
import { DevicesPanel } from "./devices.tsx";
import { Options } from "./options.tsx";
import { Question } from "./question.tsx";
import { Review } from "./review.tsx";
import { Rewind } from "./rewind.tsx";
import { Search } from "./search.tsx";
import { ChangeSession, NewSession } from "./session_panels.tsx";
import { Sheet } from "./sheet.tsx";
import { Sessions } from "./sessions.tsx";

function Banner(): JSX.Element | null {
  const state = connection.value;
  if (state.kind === "online") return null;
  if (state.kind === "refused") {
    return (
      <div class="banner" role="alert">
        <span>This page is not logged in: {state.why}.</span> <a href="/login">Log in</a>
      </div>
    );
  }
  if (state.kind === "connecting") {
    return (
      <div class="banner quiet" role="status">
        Connecting…
      </div>
    );
  }
  return (
    <div class="banner" role="status">
      <span>
        {navigator.onLine ? "Not connected" : "You are offline"}: {state.why}. What you type is
        kept. Next attempt in <Until at={state.retryAt} />.
      </span>
      <button onClick={() => hub.connect()}>Connect now</button>
    </div>
  );
}

function Panel(): JSX.Element | null {
  const name = panel.value;
  const session = shown.value;
  if (name === "new") return <NewSession />;
  if (name === "search") return <Search />;
  if (name === "devices") return <DevicesPanel />;
  if (name?.startsWith("change ")) {
    const item = hubState.value?.list.sessions.find(
      (each) => name === `change ${each.agent} ${each.id}`,
    );
    return item ? <ChangeSession item={item} /> : null;
  }
  if (name?.startsWith("question ")) {
    const asked = hubState.value?.questions.find(
      ({ agent, question }) => name === `question ${agent} ${question.id}`,
    );
    if (asked === undefined) return null;
    return (
      <Sheet title={asked.agent} close={() => (panel.value = null)}>
        <Question of={{ agent: asked.agent, sessionId: null }} question={asked.question} />
      </Sheet>
    );
  }
  if (session === null) return null;
  if (name === "options") return <Options session={session} />;
  if (name === "review") return <Review session={session} />;
  if (name === "rewind") return <Rewind session={session} />;
  return null;
}

export function App(): JSX.Element {
  const session = shown.value;
  return (
    <div class={session === null ? "app list-shown" : "app session-shown"}>
      <Banner />
      <div class="columns">
        <Sessions />
        {session === null ? (
          <section class="conversation empty" aria-label="No session">
            <p class="muted">Choose a session, or open a new one.</p>
          </section>
        ) : (
          <Conversation session={session} />
        )}
      </div>
      <Panel />
      {toast.value && (
        <div class={toast.value.error ? "toast error" : "toast"} role="alert">
          {toast.value.text}
        </div>
      )}
      <div class="hidden" role="status" aria-live="polite">
        {spoken.value}
      </div>
    </div>
  );
}
