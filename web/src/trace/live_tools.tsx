import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import type { TracedAgent } from "../../../crates/serve/types.ts";
import { editor } from "../protocol/editor.ts";
import { openChannel } from "../store/secrets.ts";
import { LiveTrace, type LiveState } from "./live.ts";
import type { Recorded } from "./lines.ts";

const state = signal<LiveState | null>(null);
const agents = signal<TracedAgent[]>([]);
const watched = signal("");
let show: (lines: Recorded[]) => void = () => {};

/** Whether the messages of an agent are shown. */
export const isLive = computed(() => watched.value !== "");

const trace = new LiveTrace(editor?.open ?? openChannel, {
  state: (now) => (state.value = now),
  agents: (now) => (agents.value = now),
  changed: ({ lines }) => show(lines),
});

/** Shows the messages with an agent from now on. */
export function watchLive(agent: string, lines: (lines: Recorded[]) => void): void {
  show = lines;
  watched.value = agent;
  void trace.follow(agent);
  trace.connect();
}

/** Ends the connection to the hub. */
export function stopLive(): void {
  show = () => {};
  watched.value = "";
  state.value = null;
  agents.value = [];
  trace.close();
}

function label(agent: TracedAgent): string {
  return agent.isConnected ? agent.agent : `${agent.agent} (not connected)`;
}

function State({ now }: { now: LiveState }): JSX.Element {
  switch (now.kind) {
    case "connecting":
      return <>Connecting…</>;
    case "waiting":
      return <>Not connected: {now.why}</>;
    case "refused":
      return <a href="/login">Log in to watch agents</a>;
    case "failed":
      return <span class="r-error">{now.why}</span>;
    case "online":
      if (agents.value.length === 0) return <>No agent was started yet</>;
      return <>{watched.value === "" ? "" : "Watching"}</>;
  }
}

/** Connects to the hub, and chooses the agent to watch. */
export function LiveTools({ watch }: { watch(agent: string): void }): JSX.Element {
  const now = state.value;
  if (now === null) return <button onClick={() => trace.connect()}>Watch an agent</button>;
  return (
    <>
      <span class="muted live-state" role="status">
        <State now={now} />
      </span>
      <select
        aria-label="Agent to watch"
        value={watched.value}
        onFocus={() => void trace.refresh()}
        onChange={(event) => watch(event.currentTarget.value)}
      >
        <option value="" disabled selected={watched.value === ""}>
          Choose an agent
        </option>
        {agents.value.map((agent) => (
          <option key={agent.agent} value={agent.agent} selected={watched.value === agent.agent}>
            {label(agent)}
          </option>
        ))}
      </select>
      <button onClick={stopLive}>Stop</button>
    </>
  );
}
