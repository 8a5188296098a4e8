import type { FileChange, FileDiff, Hunk, HunkLine } from "../../../crates/serve/types.ts";
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { plain } from "../text.ts";
import { Spans } from "./text.tsx";

/** From this width on, in pixels, both sides of a diff fit beside each other. */
const WIDE = matchMedia("(min-width: 1200px)");
const isWide = signal(WIDE.matches);
WIDE.addEventListener("change", () => (isWide.value = WIDE.matches));

const SIGNS = { same: " ", removed: "−", added: "+" } as const;
const WORDS: Record<FileChange, string> = {
  created: "new",
  changed: "",
  deleted: "deleted",
  renamed: "renamed",
  copied: "copied",
};

interface Numbered {
  line: HunkLine;
  old: number | null;
  now: number | null;
}

function numbered(hunk: Hunk): Numbered[] {
  let [old, now] = [hunk.old_start, hunk.new_start];
  return hunk.lines.map((line) => ({
    line,
    old: line.change === "added" ? null : old++,
    now: line.change === "removed" ? null : now++,
  }));
}

/** A pair of lines that stand beside each other. */
type Pair = [Numbered | null, Numbered | null];

/** Pairs removed lines with the added lines after them. */
export function pairs(hunk: Hunk): Pair[] {
  const result: Pair[] = [];
  let [removed, added]: [Numbered[], Numbered[]] = [[], []];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      result.push([removed[at] ?? null, added[at] ?? null]);
    }
    [removed, added] = [[], []];
  };
  for (const each of numbered(hunk)) {
    if (each.line.change === "removed") {
      if (added.length > 0) flush();
      removed.push(each);
    } else if (each.line.change === "added") {
      added.push(each);
    } else {
      flush();
      result.push([each, each]);
    }
  }
  flush();
  return result;
}

function Cell(props: { of: Numbered | null; number: number | null | undefined }): JSX.Element {
  if (props.of === null) return <td colSpan={2} class="absent" />;
  const { line } = props.of;
  return (
    <>
      <td class={`number ${line.change}`}>
        <span class="hidden">{line.change === "same" ? "" : line.change}</span>
        {props.number ?? ""}
      </td>
      <td class={`text ${line.change}`}>
        <span aria-hidden="true" class="sign">
          {SIGNS[line.change]}
        </span>
        <Spans line={line.line} />
      </td>
    </>
  );
}

function Unified({ hunk }: { hunk: Hunk }): JSX.Element {
  return (
    <tbody>
      {numbered(hunk).map((each, index) => (
        <tr key={index}>
          <td class={`number old ${each.line.change}`}>{each.old ?? ""}</td>
          <Cell of={each} number={each.now} />
        </tr>
      ))}
    </tbody>
  );
}

function SideBySide({ hunk }: { hunk: Hunk }): JSX.Element {
  return (
    <tbody>
      {pairs(hunk).map(([left, right], index) => (
        <tr key={index}>
          <Cell of={left} number={left?.old} />
          <Cell of={right} number={right?.now} />
        </tr>
      ))}
    </tbody>
  );
}

export function HunkView({ hunk, label }: { hunk: Hunk; label: string }): JSX.Element {
  const beside = isWide.value && hunk.lines.some((line) => line.change === "removed");
  return (
    <div class="hunk" tabIndex={0} role="group" aria-label={label}>
      <table class={beside ? "diff beside" : "diff"}>
        {beside ? <SideBySide hunk={hunk} /> : <Unified hunk={hunk} />}
      </table>
    </div>
  );
}

/** The head of a changed file. */
export function FileHead({ file }: { file: FileDiff }): JSX.Element {
  const word = WORDS[file.change];
  return (
    <div class="file-head">
      {file.from && (
        <>
          <Spans line={file.from} /> <span class="muted">→</span>{" "}
        </>
      )}
      <Spans line={file.path} /> {word && <span class="muted">{word} </span>}
      {file.added > 0 && <span class="r-added">+{file.added} </span>}
      {file.removed > 0 && <span class="r-removed">−{file.removed} </span>}
      {file.note && (
        <span class="muted">
          · <Spans line={file.note} />
        </span>
      )}
    </div>
  );
}

/** The changes of a file. `after` adds something below each hunk. */
export function FileDiffView(props: {
  file: FileDiff;
  after?: (hunk: number) => ComponentChildren;
}): JSX.Element {
  const name = plain(props.file.path);
  return (
    <div class="file">
      <FileHead file={props.file} />
      {props.file.hunks.map((hunk, index) => (
        <div key={index}>
          <HunkView hunk={hunk} label={`change of ${name} at line ${hunk.new_start}`} />
          {props.after?.(index)}
        </div>
      ))}
    </div>
  );
}
