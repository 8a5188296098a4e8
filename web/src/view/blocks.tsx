import type { Block, Item, Table } from "../../../crates/serve/types.ts";
import { Fragment, type JSX } from "preact";
import { plain } from "../text.ts";
import { say } from "../store/app.ts";
import { CodeLines, Spans } from "./text.tsx";

type BlockOf<T extends Block["type"]> = Extract<Block, { type: T }>;

/** Copies a text, and says if the browser forbids it. */
export function copy(text: string): void {
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
  copied.then(
    () => say("Copied"),
    () => say("The browser does not let this page copy; select the text instead", true),
  );
}

/** The parts of a text. Code that continues a block joins it. */
export function Blocks({ blocks }: { blocks: Block[] }): JSX.Element {
  return (
    <>
      {blocks.map((block, index) => (
        <OneBlock key={index} block={block} />
      ))}
    </>
  );
}

function OneBlock({ block }: { block: Block }): JSX.Element {
  switch (block.type) {
    case "paragraph":
      return (
        <p>
          {block.lines.map((line, index) => (
            <Fragment key={index}>
              {index > 0 && <br />}
              <Spans line={line} />
            </Fragment>
          ))}
        </p>
      );
    // Texts are parts of the page, so their own levels would leave gaps in its outline.
    case "heading":
      return (
        <h2 class={`heading level-${block.level}`}>
          <Spans line={block.line} />
        </h2>
      );
    case "item":
      return <ListItem item={block} />;
    case "code":
      return <Code block={block} />;
    case "table":
      return <TableView table={block} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "attachment":
      return (
        <p class="attachment">
          <Spans line={block.line} />
        </p>
      );
  }
}

function Code({ block }: { block: BlockOf<"code"> }): JSX.Element {
  const language = block.language || "code";
  return (
    <div class={block.continued ? "code-block continued" : "code-block"}>
      {!block.continued && (
        <div class="code-head">
          <span class="muted">{block.language}</span>
          <button class="quiet" onClick={() => copy(block.lines.map(plain).join("\n"))}>
            Copy
          </button>
        </div>
      )}
      <CodeLines lines={block.lines} label={language} />
    </div>
  );
}

function marker(item: Item): string {
  if (item.marker === "bullet") return "•";
  if (item.marker === "continued") return "";
  if ("number" in item.marker) return `${item.marker.number}.`;
  return item.marker.task ? "☑" : "☐";
}

function ListItem({ item }: { item: Item }): JSX.Element {
  const isTask = typeof item.marker === "object" && "task" in item.marker;
  const done = isTask && (item.marker as { task: boolean }).task;
  return (
    <div class={`item depth-${Math.min(item.depth, 8)}`} role="group">
      <span class="marker" aria-hidden={isTask ? "true" : undefined}>
        {marker(item)}
      </span>
      {isTask && <span class="hidden">{done ? "done" : "open"}</span>}
      <div class="item-body">
        <Blocks blocks={item.blocks} />
      </div>
    </div>
  );
}

function TableView({ table }: { table: Table }): JSX.Element {
  const side = (index: number): string => `align-${table.alignments[index] ?? "left"}`;
  return (
    <div class="table" tabIndex={0} role="group" aria-label="table">
      <table>
        {table.header.length > 0 && (
          <thead>
            <tr>
              {table.header.map((cell, index) => (
                <th key={index} class={side(index)} scope="col">
                  <Spans line={cell} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} class={side(index)}>
                  <Spans line={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
