/** The smallest range of whole lines to replace, so that one text becomes the other. */
export interface ChangedLines {
  first: number;
  /** The line after the last one; `null` for the end of the text. */
  end: number | null;
  text: string;
}

/** Compares two texts by their lines, whatever their line endings are. */
export function changedLines(before: string, after: string): ChangedLines {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first++;
  let same = 0;
  while (same < most - first && old.at(-1 - same) === now.at(-1 - same)) same++;
  // The last line has no line ending that could be added or removed with it.
  if (same === 0 && first === most) first--;
  const lines = now.slice(first, now.length - same);
  if (same === 0) return { first, end: null, text: lines.join("\n") };
  return { first, end: old.length - same, text: lines.map((line) => `${line}\n`).join("") };
}
