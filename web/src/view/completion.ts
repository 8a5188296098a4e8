import type { CommandItem } from "../../../crates/serve/types.ts";
import { plain } from "../text.ts";

/** A word that can be completed at the cursor. */
export interface Word {
  kind: "command" | "file";
  letters: string;
  /** The range of the word in the text, with its first character `/` or `@`. */
  from: number;
  to: number;
}

/** Something that completes a word. */
export interface Completion {
  label: string;
  detail: string;
  text: string;
}

/** Returns the word at the cursor: a command at the very beginning, or a file after `@`. */
export function wordAt(text: string, cursor: number): Word | null {
  const before = text.slice(0, cursor);
  const command = /^\/([^\s]*)$/.exec(before);
  if (command) return { kind: "command", letters: command[1] ?? "", from: 0, to: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return null;
  const letters = file[1] ?? "";
  return { kind: "file", letters, from: cursor - letters.length - 1, to: cursor };
}

/** The commands whose names contain the letters; those that begin with them come first. */
export function matching(commands: CommandItem[], letters: string): Completion[] {
  const wanted = letters.toLowerCase();
  const rank = (name: string): number => {
    const at = name.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return commands
    .filter((command) => rank(command.name) < 2)
    .sort((a, b) => rank(a.name) - rank(b.name))
    .map((command) => ({
      label: `/${command.name}`,
      detail: plain(command.description),
      text: `/${command.name}${command.hint === null ? "" : " "}`,
    }));
}

/** Puts a completion in the place of the word. Returns the text and the cursor. */
export function complete(text: string, word: Word, completion: string): [string, number] {
  const space = word.kind === "file" && /^(\w|$)/.test(text.slice(word.to)) ? " " : "";
  const done = text.slice(0, word.from) + completion + space;
  return [done + text.slice(word.to), done.length];
}

/** Adds what an editor sends to the end of a text. Several lines begin on a line of their own. */
export function withAdded(text: string, added: string): string {
  if (!added.includes("\n")) return text + (text === "" || /\s$/.test(text) ? "" : " ") + added;
  const before = text.replace(/[ \t]+$/, "");
  return before + (before === "" || before.endsWith("\n") ? "" : "\n") + added;
}

/** A content block of a prompt. */
export type Content =
  | { type: "text"; text: string }
  | { type: "image"; mimeType: string; data: string }
  | { type: "resource_link"; uri: string; name: string };

function uri(folder: string, path: string): string {
  const whole = `${folder.replace(/\/$/, "")}/${path}`;
  return `file://${whole.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The content of a prompt: the text, then a link for each file that it mentions and that was chosen
 * from the list. `folder` is `null` if it is not known; then mentions are only text.
 */
export function content(text: string, chosen: Iterable<string>, folder: string | null): Content[] {
  const blocks: Content[] = [{ type: "text", text }];
  if (folder === null || !folder.startsWith("/")) return blocks;
  for (const path of chosen) {
    if (text.includes(`@${path}`)) {
      blocks.push({ type: "resource_link", uri: uri(folder, path), name: path });
    }
  }
  return blocks;
}
