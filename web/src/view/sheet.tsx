import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";

/**
 * A panel above the page: from the bottom on a phone, at the side on a wide screen. The browser
 * keeps the focus inside, and Escape closes it.
 */
export function Sheet(props: {
  title: string;
  close(): void;
  children: ComponentChildren;
  wide?: boolean;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  const outside = (event: MouseEvent): void => {
    if (event.target === dialog.current) props.close();
  };
  return (
    <dialog
      ref={dialog}
      class={props.wide ? "sheet wide" : "sheet"}
      aria-label={props.title}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onClick={outside}
    >
      <div class="sheet-inner">
        <header class="sheet-head">
          <h2>{props.title}</h2>
          <button class="icon" aria-label="Close" onClick={props.close}>
            ✕
          </button>
        </header>
        <div class="sheet-body">{props.children}</div>
      </div>
    </dialog>
  );
}
