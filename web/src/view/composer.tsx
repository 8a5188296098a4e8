import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX, TargetedEvent } from "preact";
import {
  attempt,
  draftVersion,
  drafts,
  hub,
  hubState,
  inserted,
  isOnline,
  may,
  offeredDraft,
  say,
} from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { plain } from "../text.ts";
import {
  complete,
  content,
  matching,
  withAdded,
  wordAt,
  type Completion,
  type Word,
} from "./completion.ts";
import { Attachments, readImage, type Attachment } from "./images.tsx";
import { NeedsScope } from "./scope.tsx";

/** The shortest time between two calls that give the hub the draft, in milliseconds. */
const DRAFT_PACE = 400;
/** The largest height of the text field, as a part of the window. */
const MOST_HEIGHT = 0.4;
const MOST_SHOWN = 8;

const INVITATION = matchMedia("(max-width: 760px)").matches
  ? "Write what to do"
  : "Write what to do; / for commands, @ for files";

const isTouch = matchMedia("(pointer: coarse)");

function grow(area: HTMLTextAreaElement): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, innerHeight * MOST_HEIGHT)}px`;
}

/**
 * Sends the draft to the hub, at once if the pace allows it: storage of a window that is closed or
 * reloaded right after typing may lack it.
 */
function useDraftSync(session: ShownSession, text: Signal<string>): void {
  /** Changes when the text became another one while the hub took it. */
  const again = useSignal(0);
  /** The earliest time of the next call. */
  const next = useRef(0);
  // A connection begins with the draft that the hub has.
  useEffect(() => void (next.current = Date.now() + DRAFT_PACE), [session, isOnline.value]);
  useEffect(() => {
    if (!isOnline.value || !may("control") || !drafts.isUnsynced(session.key)) return;
    const timer = setTimeout(() => {
      next.current = Date.now() + DRAFT_PACE;
      const { agent, sessionId, key } = session;
      const sent = drafts.text(key);
      hub.call("_attache/draft", { agent, sessionId, text: sent }).then(
        () => {
          drafts.synced(key, sent);
          if (drafts.isUnsynced(key)) again.value++;
        },
        () => {}, // It is stored here, and sent with the next change.
      );
    }, Math.max(0, next.current - Date.now()));
    return () => clearTimeout(timer);
  }, [session, text.value, isOnline.value, again.value]);
}

function folderOf(session: ShownSession): string | null {
  const listed = hubState.value?.list.sessions.find(
    (item) => item.agent === session.agent && item.id === session.sessionId,
  );
  return listed ? plain(listed.folder) : null;
}

/** The text field for the next prompt. */
export function Composer({ session }: { session: ShownSession }): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const photo = useRef<HTMLInputElement>(null);
  const text = useSignal(drafts.text(session.key));
  const images = useSignal<Attachment[]>([]);
  const busy = useSignal(false);
  const popup = usePopup(session);
  const chosen = useRef(new Set<string>());
  useDraftSync(session, text);

  const set = (next: string, cursor?: number): void => {
    text.value = next;
    drafts.write(session.key, next);
    const { current } = area;
    if (!current) return;
    current.value = next;
    grow(current);
    if (cursor !== undefined) current.setSelectionRange(cursor, cursor);
  };
  useEffect(() => set(drafts.text(session.key)), [session, draftVersion.value]);
  useEffect(() => {
    const added = inserted.value;
    if (added === null) return;
    inserted.value = null;
    for (const file of added.files) chosen.current.add(file);
    const longer = withAdded(text.value, added.text);
    set(longer, longer.length);
    area.current?.focus();
  }, [inserted.value]);

  const addFiles = async (files: File[]): Promise<void> => {
    if (files.length === 0) return;
    if (session.state.images === false) {
      say(`${session.agent} takes no images`, true);
      return;
    }
    for (const file of files) {
      try {
        images.value = [...images.value, await readImage(file)];
      } catch (error) {
        say((error as Error).message, true);
      }
    }
  };
  const send = async (): Promise<void> => {
    const sent = text.value;
    if ((sent.trim() === "" && images.value.length === 0) || busy.value) return;
    busy.value = true;
    const { agent, sessionId } = session;
    const pictures = images.value.map(({ mimeType, data }) => ({ type: "image", mimeType, data }));
    const words = sent === "" ? [] : content(sent, chosen.current, folderOf(session));
    const done = await attempt("_attache/prompt", {
      agent,
      sessionId,
      content: [...words, ...pictures],
    });
    busy.value = false;
    // What was typed meanwhile stays, and so does everything if the prompt was not taken.
    if (done === null || text.value !== sent) return;
    images.value = [];
    chosen.current.clear();
    set("");
    session.prompted.value++;
  };
  const pick = (completion: Completion): void => {
    const word = popup.word.value;
    if (word === null) return;
    if (word.kind === "file") chosen.current.add(completion.text.slice(1));
    popup.close();
    set(...complete(text.value, word, completion.text));
    area.current?.focus();
  };
  const typed = (event: TargetedEvent<HTMLTextAreaElement>): void => {
    const { value, selectionStart } = event.currentTarget;
    set(value);
    popup.look(value, selectionStart);
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.isComposing || popup.keyed(event, pick)) return;
    const sends = event.ctrlKey || event.metaKey || (!event.shiftKey && !isTouch.matches);
    if (event.key !== "Enter" || !sends) return;
    event.preventDefault();
    void send();
  };
  const allowed = may("control");
  const isRunning = isBusy(session);
  void session.version.value;
  const takesImages = session.state.images !== false;
  return (
    <form
      class="composer"
      aria-label="Next prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void addFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <NeedsScope scope="control" what="send prompts" />
      <OfferedDraft session={session} take={(taken) => set(taken, taken.length)} />
      {popup.list(pick)}
      <Attachments
        attachments={images.value}
        remove={(at) => (images.value = images.value.filter((_, index) => index !== at))}
      />
      <div class="composer-line">
        {takesImages && (
          <button
            type="button"
            class="icon"
            aria-label="Attach an image"
            disabled={!allowed}
            onClick={() => photo.current?.click()}
          >
            ⊕
          </button>
        )}
        <input
          ref={photo}
          class="hidden"
          type="file"
          accept="image/*"
          multiple
          tabIndex={-1}
          aria-hidden="true"
          onChange={(event) => {
            const chosen = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = "";
            void addFiles(chosen);
          }}
        />
        <textarea
          ref={area}
          rows={1}
          aria-label="Prompt"
          aria-autocomplete="list"
          {...popup.aria}
          placeholder={allowed ? INVITATION : "Prompts need control"}
          onInput={typed}
          onKeyDown={keyed}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length > 0) event.preventDefault();
            void addFiles(files);
          }}
          onBlur={popup.close}
        />
        {isRunning && (
          <button
            type="button"
            class="icon stop"
            aria-label="Cancel the turn"
            disabled={!allowed}
            onClick={() => void attempt("_attache/cancel", ofSession(session))}
          >
            ■
          </button>
        )}
        <button
          class="icon main send"
          aria-label={isRunning ? "Queue the prompt" : "Send the prompt"}
          disabled={!allowed || busy.value}
        >
          ↑
        </button>
      </div>
    </form>
  );
}

function ofSession({ agent, sessionId }: ShownSession): { agent: string; sessionId: string } {
  return { agent, sessionId };
}

function isBusy(session: ShownSession): boolean {
  void session.version.value;
  const kind = session.state.status?.activity.kind ?? "idle";
  return !["idle", "problem", "closed", "background"].includes(kind);
}

function OfferedDraft(props: {
  session: ShownSession;
  take(text: string): void;
}): JSX.Element | null {
  const offered = offeredDraft.value;
  if (offered === null || offered.session !== props.session.key) return null;
  const close = (): void => {
    offeredDraft.value = null;
  };
  return (
    <div class="needs-scope" role="status">
      <span class="cut">Another front end wrote: {offered.text}</span>
      <button
        type="button"
        onClick={() => {
          props.take(offered.text);
          close();
        }}
      >
        Use it
      </button>
      <button type="button" class="quiet" onClick={close}>
        Keep mine
      </button>
    </div>
  );
}

interface Popup {
  word: Signal<Word | null>;
  look(text: string, cursor: number): void;
  close(): void;
  /** Handles a key. Returns whether the key is done with. */
  keyed(event: KeyboardEvent, pick: (completion: Completion) => void): boolean;
  list(pick: (completion: Completion) => void): JSX.Element | null;
  /** Attributes of the text field. */
  aria: { "aria-controls"?: string; "aria-activedescendant"?: string };
}

const MOVES: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** The list of commands or files that completes the word at the cursor. */
function usePopup(session: ShownSession): Popup {
  const word = useSignal<Word | null>(null);
  const found = useSignal<Completion[]>([]);
  const current = useSignal(0);
  const close = (): void => {
    word.value = null;
    found.value = [];
  };
  const look = (text: string, cursor: number): void => {
    const next = wordAt(text, cursor);
    word.value = next;
    current.value = 0;
    if (next === null) found.value = [];
    else if (next.kind === "command") {
      found.value = matching(session.state.commands, next.letters).slice(0, MOST_SHOWN);
    } else if (may("control")) {
      const asked = { ...ofSession(session), letters: next.letters };
      hub.call("_attache/files", asked).then(({ paths }) => {
        if (word.value !== next) return;
        const file = (path: string): Completion => ({ label: path, detail: "", text: `@${path}` });
        found.value = paths.slice(0, MOST_SHOWN).map(file);
      }, close);
    }
  };
  const keyed: Popup["keyed"] = (event, pick) => {
    const list = found.value;
    if (list.length === 0) return false;
    const move = MOVES[event.key];
    const picked = list[current.value];
    if (move !== undefined) current.value = (current.value + move + list.length) % list.length;
    else if (event.key === "Escape") close();
    else if ((event.key === "Enter" || event.key === "Tab") && picked) pick(picked);
    else return false;
    event.preventDefault();
    return true;
  };
  const isOpen = found.value.length > 0;
  const list: Popup["list"] = (pick) =>
    isOpen ? (
      <ul class="popup" role="listbox" id="completions" aria-label="Completions">
        {found.value.map((each, index) => (
          <li
            key={each.text}
            id={`completion-${index}`}
            role="option"
            aria-selected={index === current.value}
            onPointerDown={(event) => {
              event.preventDefault();
              pick(each);
            }}
          >
            <span class="strong">{each.label}</span> <span class="muted">{each.detail}</span>
          </li>
        ))}
      </ul>
    ) : null;
  const aria: Popup["aria"] = isOpen
    ? { "aria-controls": "completions", "aria-activedescendant": `completion-${current.value}` }
    : {};
  return { word, look, close, keyed, list, aria };
}
