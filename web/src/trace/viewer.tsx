import { computed, signal } from "@preact/signals";
import { render, type JSX } from "preact";
import { editor, type Editor, type FromEditor } from "../protocol/editor.ts";
import { WindowedList } from "../view/list.tsx";
import { filtered, visible, type Recorded, type TraceFilter } from "./lines.ts";
import { isLive, LiveTools, stopLive, watchLive } from "./live_tools.tsx";
import { addFindings, isFindings, readRecording } from "./recording.ts";

/** The most characters of a message in the list, which shows one line of it. */
const IN_LIST = 500;

const lines = signal<Recorded[]>([]);
const name = signal("");
const problem = signal<string | null>(null);
const filter = signal<TraceFilter>({ words: "", from: "both", kind: "all" });
const chosen = signal<Recorded | null>(null);
const found = computed(() => filtered(lines.value, filter.value));

/** Shows the messages with an agent instead of a recording. */
function live(agent: string): void {
  chosen.value = null;
  problem.value = null;
  name.value = agent;
  watchLive(agent, (all) => (lines.value = all));
}

async function open(files: Iterable<File>): Promise<void> {
  stopLive();
  problem.value = null;
  for (const file of files) {
    try {
      const text = await file.text();
      if (isFindings(text)) {
        lines.value = addFindings(lines.value, text);
      } else {
        lines.value = readRecording(text);
        name.value = file.name;
      }
      chosen.value = null;
    } catch (error) {
      problem.value = `${file.name}: ${(error as Error).message}`;
    }
  }
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function seconds(time: number): string {
  return time < 1 ? `${(time * 1000).toFixed(1)} ms` : `${time.toFixed(2)} s`;
}

function Line({ line }: { line: Recorded }): JSX.Element {
  if (line.kind === "gap") return <p class="trace-gap muted">{line.text}</p>;
  const rules = line.findings.map((finding) => finding.rule).join(" ");
  return (
    <button
      class={`trace-line k-${line.kind}`}
      aria-pressed={chosen.value === line}
      onClick={() => (chosen.value = line)}
    >
      <span class="muted number">{line.line}</span>
      <span class="time muted">{line.time === null ? "" : line.time.toFixed(3)}</span>
      <span class={`from f-${line.from}`}>
        {line.from === "client" ? "client →" : "← agent"}
      </span>
      <span class="method cut">
        {visible((line.method || line.text).slice(0, IN_LIST))}
        {line.id !== null && <span class="muted"> #{visible(line.id.slice(0, IN_LIST))}</span>}
        {line.kind === "reply" && <span class="muted"> reply</span>}
        {line.kind === "error" && <span class="r-error"> error</span>}
        {rules !== "" && <span class="r-error"> breaks {rules}</span>}
      </span>
      <span class="muted">{line.latency === null ? "" : seconds(line.latency)}</span>
      <span class="muted">{size(line.size)}</span>
    </button>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Detail({ line }: { line: Recorded }): JSX.Element {
  const partner = lines.value.find((each) => each.line === line.partner);
  return (
    <aside class="trace-detail" aria-label={`Line ${line.line}`}>
      <header class="bar">
        <h2>Line {line.line}</h2>
        {partner && (
          <button onClick={() => (chosen.value = partner)}>
            {line.kind === "call" ? "Its reply" : "Its call"}
          </button>
        )}
        <button class="icon" aria-label="Close" onClick={() => (chosen.value = null)}>
          ✕
        </button>
      </header>
      {line.findings.map((finding, index) => (
        <p key={index} class="finding">
          <span class="strong r-error">
            {finding.by} {finding.rule} {finding.strength}
          </span>
          <br />
          {visible(finding.seen)}
          <br />
          <span class="muted">{finding.text}</span>
        </p>
      ))}
      <pre class="code" tabIndex={0} role="group" aria-label="message">
        {visible(pretty(line.text))}
      </pre>
    </aside>
  );
}

function Choose<K extends "from" | "kind">(props: {
  label: string;
  name: K;
  values: [TraceFilter[K], string][];
}): JSX.Element {
  return (
    <select
      aria-label={props.label}
      onChange={(event) => {
        filter.value = { ...filter.value, [props.name]: event.currentTarget.value };
      }}
    >
      {props.values.map(([value, label]) => (
        <option key={value} value={value} selected={filter.value[props.name] === value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function Tools(): JSX.Element {
  return (
    <div class="trace-tools">
      <input
        type="search"
        aria-label="Find messages"
        placeholder="Find messages"
        value={filter.value.words}
        onInput={(event) => (filter.value = { ...filter.value, words: event.currentTarget.value })}
      />
      <Choose
        label="Direction"
        name="from"
        values={[
          ["both", "both directions"],
          ["client", "from the client"],
          ["agent", "from the agent"],
        ]}
      />
      <Choose
        label="Kind"
        name="kind"
        values={[
          ["all", "all messages"],
          ["calls", "calls and replies"],
          ["notifications", "notifications"],
          ["errors", "errors"],
          ["findings", "lines that break a rule"],
        ]}
      />
      <span class="muted" role="status">
        {found.value.length} of {lines.value.length}
      </span>
    </div>
  );
}

function Viewer(): JSX.Element {
  const rows = found.value;
  return (
    <main
      class="trace"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void open(event.dataTransfer?.files ?? []);
      }}
    >
      <header class="bar">
        <h1 class="cut">{visible(name.value) || "Trace"}</h1>
        <LiveTools watch={live} />
        <label class="button">
          Open a recording
          <input
            class="hidden"
            type="file"
            multiple
            onChange={(event) => void open([...(event.currentTarget.files ?? [])])}
          />
        </label>
      </header>
      {problem.value !== null && (
        <p class="r-error note" role="alert">
          {visible(problem.value)}
        </p>
      )}
      {lines.value.length === 0 ? (
        <div class="note">
          <p>
            Watch an agent of the hub to see its messages as they come. That needs the scope
            “control”.
          </p>
          <p>
            Open or drop a file that <code>attache run --trace FILE</code> or{" "}
            <code>attache trace</code> wrote. It stays in this browser.
          </p>
          <p>
            To see the rules that lines break, also open what{" "}
            <code>attache check trace --json FILE</code> writes.
          </p>
        </div>
      ) : (
        <>
          <Tools />
          <div class="trace-columns">
            <WindowedList
              key={name.value}
              count={rows.length}
              label="Messages"
              role="list"
              {...(isLive.value ? {} : { from: "start" as const })}
              row={(index) => {
                const line = rows[index];
                return line && <Line line={line} />;
              }}
              isKnown={() => true}
            />
            {chosen.value && <Detail line={chosen.value} />}
          </div>
        </>
      )}
    </main>
  );
}

/** Shows what the editor opens. */
function embed(editor: Editor): void {
  addEventListener("message", ({ data }: MessageEvent<FromEditor>) => {
    if (editor.receive(data)) return;
    if (data.type === "watch") live(data.agent);
    if (data.type !== "recordings") return;
    void open(data.files.map((file) => new File([file.text], file.name)));
  });
  editor.ready();
}

if (editor !== null) embed(editor);

const place = document.getElementById("page");
if (place !== null) render(<Viewer />, place);
