/** One line of a recording of `attache --trace FILE`. */
export interface Recorded {
  /** The number of the line in the file, from 1. */
  line: number;
  from: "client" | "agent";
  /** Seconds since the first line that has a time; `null` if the line has none. */
  time: number | null;
  /** The message as it was sent, and its size in bytes. */
  text: string;
  size: number;
  kind: "call" | "reply" | "error" | "notification" | "text";
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

interface RawLine {
  from?: unknown;
  t?: unknown;
  message?: unknown;
  text?: unknown;
}

interface Message {
  id?: unknown;
  method?: unknown;
  error?: unknown;
  result?: unknown;
}

function kindOf(message: Message | null): Recorded["kind"] {
  if (message === null) return "text";
  if (typeof message.method === "string") {
    return message.id === undefined ? "notification" : "call";
  }
  return message.error === undefined ? "reply" : "error";
}

function record(raw: RawLine, line: number): Recorded {
  const isMessage = typeof raw.message === "object" && raw.message !== null;
  const message = isMessage ? (raw.message as Message) : null;
  const text = message ? JSON.stringify(message) : String(raw.text ?? JSON.stringify(raw.message));
  return {
    line,
    from: raw.from === "client" ? "client" : "agent",
    time: typeof raw.t === "number" ? raw.t : null,
    text,
    size: new TextEncoder().encode(text).length,
    kind: kindOf(message),
    method: typeof message?.method === "string" ? message.method : "",
    id: message?.id === undefined ? null : JSON.stringify(message.id),
    latency: null,
    partner: null,
    findings: [],
  };
}

/** Joins replies with their calls. A new `initialize` begins another connection. */
function pair(lines: Recorded[]): void {
  const open = { client: new Map<string, Recorded>(), agent: new Map<string, Recorded>() };
  for (const line of lines) {
    if (line.method === "initialize" && line.kind === "call") {
      open.client.clear();
      open.agent.clear();
    }
    if (line.id === null) continue;
    if (line.kind === "call") {
      open[line.from].set(line.id, line);
      continue;
    }
    const calls = open[line.from === "client" ? "agent" : "client"];
    const call = calls.get(line.id);
    if (call === undefined) continue;
    calls.delete(line.id);
    [line.method, line.partner, call.partner] = [call.method, call.line, line.line];
    if (line.time !== null && call.time !== null) line.latency = line.time - call.time;
  }
}

/** Reads a recording. Throws if the file is none. */
export function readRecording(text: string): Recorded[] {
  const lines: Recorded[] = [];
  text.split("\n").forEach((each, index) => {
    if (each.trim() === "") return;
    let raw: RawLine;
    try {
      raw = JSON.parse(each) as RawLine;
    } catch {
      throw new Error(`line ${index + 1} is no JSON`);
    }
    const isLine = raw.from === "client" || raw.from === "agent";
    if (!isLine || (raw.message === undefined && raw.text === undefined)) {
      throw new Error(`line ${index + 1} has no "from" or no "message"`);
    }
    lines.push(record(raw, index + 1));
  });
  if (lines.length === 0) throw new Error("the file contains no messages");
  pair(lines);
  return lines;
}

/** Whether a file has the findings of a recording, not the recording itself. */
export function isFindings(text: string): boolean {
  try {
    const first = JSON.parse(text.trimStart().split("\n", 1)[0] ?? "") as Partial<Finding>;
    return typeof first.rule === "string" && typeof first.line === "number";
  } catch {
    return false;
  }
}

/** Adds the findings of `attache check trace --json` to the lines of the recording. */
export function addFindings(lines: Recorded[], text: string): Recorded[] {
  const found = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Finding);
  return lines.map((line) => ({
    ...line,
    findings: found.filter((finding) => finding.line === line.line),
  }));
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
  return lines.filter((line) => {
    if (filter.from !== "both" && line.from !== filter.from) return false;
    if (!kinds[filter.kind](line)) return false;
    const text = `${line.method} ${line.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
