import type { Block, Line, Output } from "../../../crates/serve/types.ts";
import { plain } from "../../../web/src/text.ts";

export { plain };

/**
 * The text of a line for a place where VS Code shows `$(name)` as a picture, and `[text](link)` as
 * a link: neither may come from outside.
 */
export function label(line: Line | string | null | undefined): string {
  const text = typeof line === "string" ? line : plain(line);
  return text.replaceAll("$(", "$ (").replaceAll("](", "] (");
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
