import type { Color, Line } from "../../../crates/serve/types.ts";
import type { ComponentChildren, CSSProperties, JSX } from "preact";

type Span = Line[number];

const SAFE = /^https?:\/\//i;
const STEPS = [0, 95, 135, 175, 215, 255];

/** The colour of a terminal as CSS. The first 16 colours belong to the theme. */
function css(color: Color): string {
  if ("rgb" in color) return `rgb(${color.rgb.join(" ")})`;
  const index = color.indexed;
  if (index < 16) return `var(--ansi-${index})`;
  if (index >= 232) return `rgb(${Array(3).fill(8 + (index - 232) * 10).join(" ")})`;
  const cube = index - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return `rgb(${parts.map((part) => STEPS[part] ?? 0).join(" ")})`;
}

function classOf(span: Span): string {
  const names = span.role === "text" ? [] : [`r-${span.role}`];
  if (span.strong) names.push("strong");
  if (span.emphasis) names.push("emphasis");
  if (span.struck) names.push("struck");
  if (span.underlined) names.push("underlined");
  if (span.changed) names.push("changed");
  return names.join(" ");
}

function colors(span: Span): CSSProperties | undefined {
  const { foreground, background } = span.colors ?? {};
  if (!foreground && !background) return undefined;
  return {
    ...(foreground && { color: css(foreground) }),
    ...(background && { backgroundColor: css(background) }),
  };
}

function Piece({ span }: { span: Span }): ComponentChildren {
  const name = classOf(span);
  if (span.link !== undefined && SAFE.test(span.link)) {
    return (
      <a href={span.link} class={name} rel="noopener noreferrer nofollow" target="_blank">
        {span.text}
      </a>
    );
  }
  const style = colors(span);
  if (span.role === "code") return <code class={name}>{span.text}</code>;
  if (name === "" && style === undefined) return span.text;
  return style === undefined ? (
    <span class={name}>{span.text}</span>
  ) : (
    <span class={name} style={style}>
      {span.text}
    </span>
  );
}

/** The pieces of a line. Text becomes text nodes only. */
export function Spans({ line }: { line: Line }): JSX.Element {
  return (
    <>
      {line.map((span, index) => (
        <Piece key={index} span={span} />
      ))}
    </>
  );
}

/** Lines of code or of output, one below the other. */
export function CodeLines(props: { lines: Line[]; label: string }): JSX.Element {
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={props.label}>
      {props.lines.map((line, index) => (
        <div key={index} class="code-line">
          <Spans line={line} />
          {"\n"}
        </div>
      ))}
    </pre>
  );
}
