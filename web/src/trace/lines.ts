/** One line of a recording of `attache --trace FILE`, or one message of a live connection. */
export interface Recorded {
  /** The number of the line in the file, or of the message with the agent, from 1. */
  line: number;
  from: "client" | "agent";
  /** Seconds since the first line that has a time; `null` if the line has none. */
  time: number | null;
  /** The message as it was sent, and its size in bytes. */
  text: string;
  size: number;
  /** A `gap` stands for messages that were left out. */
  kind: "call" | "reply" | "error" | "notification" | "text" | "gap";
  /** The method; for a reply, that of its call. Empty for other texts. */
  method: string;
  id: string | null;
  /** The seconds from a call to its reply, at the reply; `null` if unknown. */
  latency: number | null;
  /** The line of the other message of a call. */
  partner: number | null;
  /** The rules that the line breaks. */
  findings: Finding[];
}

/** A rule that a line breaks, as `attache check trace --json` writes it. */
export interface Finding {
  line: number;
  rule: string;
  strength: string;
  by: string;
  seen: string;
  text: string;
}

interface Message {
  id?: unknown;
  method?: unknown;
  error?: unknown;
}

/**
 * Text in which every character is seen: those that control, turn or hide text are escaped as in
 * JSON. Lines and tabs stay.
 */
export function visible(text: string): string {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(/[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]/gu, (character) =>
    character.split("").map(escaped).join(""),
  );
}

/** Returns the JSON-RPC message of a value; `null` if the value cannot be one. */
export function messageOf(value: unknown): Message | null {
  return typeof value === "object" && value !== null ? (value as Message) : null;
}

function kindOf(message: Message | null): Recorded["kind"] {
  if (message === null) return "text";
  if (typeof message.method === "string") {
    return message.id === undefined ? "notification" : "call";
  }
  return message.error === undefined ? "reply" : "error";
}

/** Returns a line with what its message says of itself. */
export function recorded(
  line: Pick<Recorded, "line" | "from" | "time" | "text" | "size">,
  message: Message | null,
): Recorded {
  return {
    ...line,
    kind: kindOf(message),
    method: typeof message?.method === "string" ? message.method : "",
    id: message?.id === undefined ? null : JSON.stringify(message.id),
    latency: null,
    partner: null,
    findings: [],
  };
}

/** Joins replies with their calls. A new `initialize` begins another connection. */
export class Pairing {
  private readonly open = {
    client: new Map<string, Recorded>(),
    agent: new Map<string, Recorded>(),
  };

  /** Takes the next line. Returns the call of a reply, now joined with it. */
  add(line: Recorded): Recorded | undefined {
    if (line.method === "initialize" && line.kind === "call") {
      this.open.client.clear();
      this.open.agent.clear();
    }
    if (line.id === null) return undefined;
    if (line.kind === "call") {
      this.open[line.from].set(line.id, line);
      return undefined;
    }
    const calls = this.open[line.from === "client" ? "agent" : "client"];
    const call = calls.get(line.id);
    if (call === undefined) return undefined;
    calls.delete(line.id);
    [line.method, line.partner, call.partner] = [call.method, call.line, line.line];
    if (line.time !== null && call.time !== null) line.latency = line.time - call.time;
    return call;
  }

  /** Forgets the calls before this line. */
  forget(before: number): void {
    for (const calls of [this.open.client, this.open.agent]) {
      for (const [id, call] of calls) if (call.line < before) calls.delete(id);
    }
  }
}

/** What the person wants to see. */
export interface TraceFilter {
  words: string;
  from: "both" | "client" | "agent";
  kind: "all" | "calls" | "notifications" | "errors" | "findings";
}

export function filtered(lines: Recorded[], filter: TraceFilter): Recorded[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const kinds: Record<TraceFilter["kind"], (line: Recorded) => boolean> = {
    all: () => true,
    calls: (line) => line.kind === "call" || line.kind === "reply" || line.kind === "error",
    notifications: (line) => line.kind === "notification",
    errors: (line) => line.kind === "error" || line.kind === "text",
    findings: (line) => line.findings.length > 0,
  };
  const isWhole = words.length === 0 && filter.from === "both" && filter.kind === "all";
  return lines.filter((line) => {
    if (line.kind === "gap") return isWhole;
    if (filter.from !== "both" && line.from !== filter.from) return false;
    if (!kinds[filter.kind](line)) return false;
    const text = `${line.method} ${line.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
