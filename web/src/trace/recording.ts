import { messageOf, Pairing, recorded, type Finding, type Recorded } from "./lines.ts";

interface RawLine {
  /** The sender. `attache run --trace` writes the direction instead, seen from the client. */
  from?: unknown;
  direction?: unknown;
  /** The time in seconds, or a date. */
  t?: unknown;
  at?: unknown;
  message?: unknown;
  text?: unknown;
  /** The whole size of a message of which only the beginning was recorded. */
  length?: unknown;
}

function senderOf(raw: RawLine): Recorded["from"] | null {
  if (raw.from === "client" || raw.direction === "sent") return "client";
  return raw.from === "agent" || raw.direction === "received" ? "agent" : null;
}

/** Returns the time of a line in seconds. */
function timeOf(raw: RawLine): number | null {
  if (typeof raw.t === "number") return raw.t;
  const date = typeof raw.at === "string" ? Date.parse(raw.at) : Number.NaN;
  if (Number.isNaN(date)) return null;
  // A date has milliseconds, and a recording has microseconds.
  const rest = /\.\d{3}(\d{1,3})/.exec(raw.at as string)?.[1] ?? "0";
  return date / 1000 + Number(rest.padEnd(3, "0")) / 1e6;
}

function record(raw: RawLine, from: Recorded["from"], line: number, first: number): Recorded {
  const message = messageOf(raw.message);
  const text = message ? JSON.stringify(message) : String(raw.text ?? JSON.stringify(raw.message));
  const at = timeOf(raw);
  const time = at === null ? null : at - first;
  const size = typeof raw.length === "number" ? raw.length : new TextEncoder().encode(text).length;
  return recorded({ line, from, time, text, size }, message);
}

/** Reads a recording. Throws if the file is none. */
export function readRecording(text: string): Recorded[] {
  const lines: Recorded[] = [];
  const pairing = new Pairing();
  let first: number | null = null;
  text.split("\n").forEach((each, index) => {
    if (each.trim() === "") return;
    let raw: RawLine;
    try {
      raw = JSON.parse(each) as RawLine;
    } catch {
      throw new Error(`line ${index + 1} is no JSON`);
    }
    const from = senderOf(raw);
    if (from === null || (raw.message === undefined && raw.text === undefined)) {
      throw new Error(`line ${index + 1} has no "from" or no "message"`);
    }
    first ??= timeOf(raw);
    const line = record(raw, from, index + 1, first ?? 0);
    pairing.add(line);
    lines.push(line);
  });
  if (lines.length === 0) throw new Error("the file contains no messages");
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
