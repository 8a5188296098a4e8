import type { AgentItem, ListChange, SessionItem } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { addressOf, attempt, hubState, may, panel } from "../store/app.ts";
import { plain } from "../text.ts";
import { NeedsScope } from "./scope.tsx";
import { Sheet } from "./sheet.tsx";

const FOLDER = "attache.folder";

function lastFolder(): string {
  const known = hubState.value?.list.sessions.map((item) => plain(item.folder));
  return localStorage.getItem(FOLDER) ?? known?.find((folder) => folder.startsWith("/")) ?? "";
}

function nameOf(agent: AgentItem): string {
  const needs = agent.needs === "" ? "" : ` (needs ${agent.needs})`;
  return `${agent.title || agent.name}${agent.installed ? needs : " (not installed)"}`;
}

/** Opens a new session. */
export function NewSession(): JSX.Element {
  const agents = hubState.value?.agents ?? [];
  // The sheet may open before the hub has said which agents there are.
  const chosen = useSignal<string | null>(null);
  const typed = useSignal<string | null>(null);
  const agent = chosen.value ?? agents.find((each) => each.installed)?.name ?? "";
  const folder = typed.value ?? lastFolder();
  const busy = useSignal(false);
  const known = new Set(hubState.value?.list.sessions.map((item) => plain(item.folder)));
  const close = (): void => {
    panel.value = null;
  };
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    busy.value = true;
    const cwd = folder.trim();
    const asked = { agent, cwd, sessionId: null };
    const opened = await attempt("_attache/open", asked);
    busy.value = false;
    if (opened === null) return;
    localStorage.setItem(FOLDER, cwd);
    close();
    location.hash = addressOf(opened.agent, opened.sessionId);
  };
  return (
    <Sheet title="New session" close={close}>
      <NeedsScope scope="control" what="open sessions" />
      <form onSubmit={(event) => void open(event)}>
        <fieldset>
          <legend>Agent</legend>
          {agents.map((each) => (
            <label key={each.name} class="option">
              <input
                type="radio"
                name="agent"
                checked={agent === each.name}
                disabled={!each.installed}
                onChange={() => (chosen.value = each.name)}
              />
              {nameOf(each)}
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label for="folder">Folder</label>
          <input
            id="folder"
            list="folders"
            required
            autocomplete="off"
            placeholder="/home/you/project"
            value={folder}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
          <datalist id="folders">
            {[...known].map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </div>
        <button class="main" disabled={busy.value || agent === "" || !may("control")}>
          {busy.value ? "Opening…" : "Open the session"}
        </button>
      </form>
    </Sheet>
  );
}

/** Changes a session in the list: title, tags, archive, close, delete. */
export function ChangeSession({ item }: { item: SessionItem }): JSX.Element {
  const title = useSignal(plain(item.title));
  const tags = useSignal(item.tags.join(" "));
  const deletes = useSignal(false);
  const close = (): void => {
    panel.value = null;
  };
  const change = async (change: ListChange): Promise<void> => {
    const { agent, id } = item;
    if ((await attempt("_attache/change", { agent, sessionId: id, change })) !== null) close();
  };
  const disabled = !may("control");
  return (
    <Sheet title="Change the session" close={close}>
      <NeedsScope scope="control" what="change sessions" />
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          void change({ type: "rename", title: title.value });
        }}
      >
        <label for="title">Title</label>
        <input
          id="title"
          value={title.value}
          onInput={(event) => (title.value = event.currentTarget.value)}
        />
        <button disabled={disabled}>Rename</button>
      </form>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          void change({ type: "tags", tags: tags.value.split(/\s+/).filter(Boolean) });
        }}
      >
        <label for="tags">Tags, separated by spaces</label>
        <input
          id="tags"
          value={tags.value}
          onInput={(event) => (tags.value = event.currentTarget.value)}
        />
        <button disabled={disabled}>Set the tags</button>
      </form>
      <div class="buttons">
        <button
          disabled={disabled}
          onClick={() => void change({ type: "archive", archived: !item.archived })}
        >
          {item.archived ? "Take out of the archive" : "Archive"}
        </button>
        <button
          disabled={disabled || item.activity === null}
          onClick={() => void change({ type: "close" })}
        >
          Close
        </button>
        {deletes.value ? (
          <button class="danger" onClick={() => void change({ type: "delete" })}>
            Delete for good
          </button>
        ) : (
          <button disabled={disabled} onClick={() => (deletes.value = true)}>
            Delete…
          </button>
        )}
      </div>
    </Sheet>
  );
}
