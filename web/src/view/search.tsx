import type { FoundPlace } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { addressOf, attempt, goTo, panel, shown } from "../store/app.ts";
import { Sheet } from "./sheet.tsx";
import { Spans } from "./text.tsx";

/** Finds text in the shown session or in all stored sessions. */
export function Search(): JSX.Element {
  const session = shown.value;
  const words = useSignal("");
  const everywhere = useSignal(session === null);
  const found = useSignal<FoundPlace[] | null>(null);
  const close = (): void => {
    panel.value = null;
  };
  const search = async (event: Event): Promise<void> => {
    event.preventDefault();
    const watch = everywhere.value ? null : (session?.watch ?? null);
    const result = await attempt("_attache/search", { words: words.value, watch });
    if (result !== null) found.value = result.places;
  };
  const show = (place: FoundPlace): void => {
    close();
    location.hash = addressOf(place.agent, place.sessionId);
    goTo.value = place.row;
  };
  const places = found.value;
  return (
    <Sheet title="Search" close={close}>
      <form class="field" role="search" onSubmit={(event) => void search(event)}>
        <label for="words">Words</label>
        <input
          id="words"
          type="search"
          required
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
        {session !== null && (
          <label class="option">
            <input
              type="checkbox"
              checked={everywhere.value}
              onChange={(event) => (everywhere.value = event.currentTarget.checked)}
            />
            in all sessions
          </label>
        )}
        <button class="main">Search</button>
      </form>
      <div role="status">{places?.length === 0 && <p>Nothing was found.</p>}</div>
      <ul class="places-found">
        {places?.map((place, index) => (
          <li key={index}>
            <button class="rule" onClick={() => show(place)}>
              <span class="muted">
                {place.agent}
                {place.row === null ? "" : ` · row ${place.row + 1}`}
              </span>
              <span>
                <Spans line={place.line} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
