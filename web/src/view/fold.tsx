import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import type { ShownSession } from "../store/session.ts";

/** A part that can be folded. What the person chose is kept while the session is shown. */
export function Fold(props: {
  session: ShownSession;
  /** Names the part within the session. */
  name: string;
  open: boolean;
  summary: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { folds } = props.session;
  const chosen = useMemo(() => signal(folds.get(props.name)), [props.name]);
  const isOpen = chosen.value ?? props.open;
  const toggle = (): void => {
    chosen.value = !isOpen;
    folds.set(props.name, !isOpen);
  };
  return (
    <div class="fold">
      <button class="fold-head" aria-expanded={isOpen} onClick={toggle}>
        <span class="chevron" aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        <span class="fold-summary">{props.summary}</span>
      </button>
      {isOpen && <div class="fold-body">{props.children}</div>}
    </div>
  );
}
