import type { Block, Line, Output } from "../../../crates/serve/types.ts";
import { plain } from "../../../web/src/text.ts";

export { plain };

/**
 * The text of a line for a place where VS Code shows `$(name)` as a picture, and `[text](link)` as
 * a link: neither may come from outside.
 */
export function label(line: Line | string | null | undefined): string {
  const text = typeof line === "string" ? harmless(line) : plain(line);
  return text.replaceAll("$(", "$ (").replaceAll("](", "] (");
}

/** Text without characters that control a terminal or turn text, but with its lines and tabs. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu, "\ufffd");
}

/** The text as one line, in which control characters are seen. */
export function visible(text: string): string {
  const picture = (character: string): string => {
    const code = character.charCodeAt(0);
    return code === 0x7f ? "\u2421" : String.fromCharCode(0x2400 + code);
  };
  return harmless(text.replace(/[\x00-\x1f\x7f]/g, picture));
}

/** The text of blocks, in lines. */
export function linesOf(blocks: Block[]): string[] {
  return blocks.flatMap((block): string[] => {
    switch (block.type) {
      case "paragraph":
      case "code":
        return block.lines.map((line) => plain(line));
      case "heading":
      case "attachment":
        return [plain(block.line)];
      case "item":
      case "quote":
        return linesOf(block.blocks).map((line) => `  ${line}`);
      case "table":
        return [block.header, ...block.rows].map((cells) => cells.map(plain).join(" | "));
      case "rule":
        return [];
    }
  });
}

/** What an output shows besides changes of files, which need a view of their own. */
export function outputLines(outputs: Output[]): string[] {
  return outputs.flatMap((output): string[] => {
    if (output.type === "text") return linesOf(output.blocks);
    if (output.type !== "terminal") return [];
    return [output.command, ...output.lines, output.ended].map(plain);
  });
}
