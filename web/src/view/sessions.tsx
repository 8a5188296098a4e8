import type { AttentionItem, AttentionReason, SessionItem } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { addressOf, hub, hubState, may, panel, say, shown } from "../store/app.ts";
import { editor } from "../protocol/editor.ts";
import { notificationsMissing, notificationsOn } from "../store/notifications.ts";
import { clock, count, plain } from "../text.ts";
import { Ago } from "./ago.tsx";
import { ScopeRequests } from "./scope.tsx";
import { Spans } from "./text.tsx";

const REASONS: Record<AttentionReason, string> = {
  question: "?",
  problem: "✗",
  held: "⏸",
  unread: "●",
};

function Attention({ item }: { item: AttentionItem }): JSX.Element {
  const body = (
    <>
      <span class={`mark s-${item.reason}`} aria-hidden="true">
        {REASONS[item.reason]}
      </span>
      <span class="session-text">
        <span class="session-title">{plain(item.title) || item.agent}</span>
        <span class="session-line">
          {item.agent} <Spans line={item.line} />
        </span>
      </span>
      {item.since !== null && (
        <span class="muted">
          <Ago since={item.since} />
        </span>
      )}
    </>
  );
  return (
    <li>
      {item.session === null ? (
        <button
          class="session"
          aria-haspopup="dialog"
          onClick={() => (panel.value = `question ${item.agent} ${item.question}`)}
        >
          {body}
        </button>
      ) : (
        <a class="session" href={addressOf(item.agent, item.session)}>
          {body}
        </a>
      )}
    </li>
  );
}

function Session({ item }: { item: SessionItem }): JSX.Element {
  const isShown = shown.value?.agent === item.agent && shown.value.sessionId === item.id;
  const activity = item.activity;
  return (
    <li class={isShown ? "current" : ""}>
      <a
        class="session"
        href={addressOf(item.agent, item.id)}
        aria-current={isShown ? "page" : undefined}
      >
        <span class={`mark a-${activity?.kind ?? "stored"}`} aria-hidden="true">
          <span class="dot" />
        </span>
        <span class="session-text">
          <span class="session-title">{plain(item.title) || "(no title)"}</span>
          <span class="session-line">
            {activity && plain(activity.line) !== "" ? (
              <Spans line={activity.line} />
            ) : (
              <>
                {item.agent} · <Spans line={item.folder} />
              </>
            )}
          </span>
          <span class="badges">
            {item.unread > 0 && <span class="badge">{item.unread} new</span>}
            {item.queued > 0 && <span class="chip">{item.queued} queued</span>}
            {item.archived && <span class="chip">archived</span>}
            {item.shown_tags.map((tag) => (
              <span key={tag} class="chip">
                {tag}
              </span>
            ))}
            {item.status && (
              <span class="chip">
                <Spans line={item.status} />
              </span>
            )}
            {item.cost && (
              <span class="muted">
                <Spans line={item.cost} />
              </span>
            )}
          </span>
        </span>
        {item.updated_at !== null && <time class="muted">{clock(item.updated_at)}</time>}
      </a>
      <button
        class="icon more-actions"
        aria-label={`Change ${plain(item.title) || "this session"}`}
        aria-haspopup="dialog"
        onClick={() => (panel.value = `change ${item.agent} ${item.id}`)}
      >
        ⋯
      </button>
    </li>
  );
}

/** The pause of typing after which the list is filtered, in milliseconds. */
const FILTER_PAUSE = 200;

function Filter(): JSX.Element {
  const words = useSignal("");
  const archived = useSignal(false);
  const timer = useSignal<ReturnType<typeof setTimeout> | undefined>(undefined);
  const filter = (): void => {
    clearTimeout(timer.peek());
    timer.value = setTimeout(() => {
      const wanted = { words: words.value, archived: archived.value, limit: null };
      hub.filterHub(wanted).catch((error: Error) => say(error.message, true));
    }, FILTER_PAUSE);
  };
  return (
    <div class="filter">
      <input
        type="search"
        aria-label="Find sessions"
        placeholder="Find sessions"
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          filter();
        }}
      />
      <label class="option">
        <input
          type="checkbox"
          checked={archived.value}
          onChange={(event) => {
            archived.value = event.currentTarget.checked;
            filter();
          }}
        />
        archived
      </label>
    </div>
  );
}

function Notifications(): JSX.Element | null {
  const on = useSignal(notificationsOn());
  // An editor shows its own notifications.
  if (on.value || editor !== null) return null;
  const missing = notificationsMissing();
  if (missing !== null) return <p class="muted note">{missing}</p>;
  const ask = async (): Promise<void> => {
    on.value = (await Notification.requestPermission()) === "granted";
  };
  return (
    <button class="quiet" onClick={() => void ask()}>
      Notify me while this page is open
    </button>
  );
}

/** Who waits for the person, and all sessions. */
export function Sessions(): JSX.Element {
  const hub = hubState.value;
  const list = hub?.list;
  return (
    <div
      class="sessions"
      role={shown.value === null ? "main" : "navigation"}
      aria-label="Sessions"
    >
      <div class="bar">
        <h1>Attaché</h1>
        <button class="icon" aria-label="Search" onClick={() => (panel.value = "search")}>
          ⌕
        </button>
        <button class="icon" aria-label="Devices" onClick={() => (panel.value = "devices")}>
          ⚙
        </button>
        <button class="main" disabled={!may("control")} onClick={() => (panel.value = "new")}>
          New session
        </button>
      </div>
      <div class="sessions-body" tabIndex={0} role="group" aria-label="List of sessions">
        <ScopeRequests />
        {list !== undefined && list.attention.length > 0 && (
          <section aria-labelledby="attention">
            <h2 id="attention">Waiting for you</h2>
            <ul class="attention">
              {list.attention.map((item) => (
                <Attention
                  key={`${item.agent} ${item.session} ${item.question} ${item.reason}`}
                  item={item}
                />
              ))}
            </ul>
          </section>
        )}
        <section aria-labelledby="all-sessions">
          <h2 id="all-sessions">Sessions</h2>
          <Filter />
          {list === undefined ? (
            <p class="muted note">Loading…</p>
          ) : (
            list.sessions.length === 0 && <p class="muted note">No sessions.</p>
          )}
          <ul>
            {list?.sessions.map((item) => (
              <Session key={`${item.agent} ${item.id}`} item={item} />
            ))}
          </ul>
          {hub?.hasMore && <p class="muted note">There are more: find them by words.</p>}
        </section>
        <div class="note">
          <Notifications />
          {hub && <div class="muted">{count(hub.clients.length, "front end")} attached</div>}
        </div>
      </div>
    </div>
  );
}
