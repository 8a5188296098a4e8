import type { Line } from "../../crates/serve/types.ts";

/** The text of a line without its styles. */
export function plain(line: Line | null | undefined): string {
  return line?.map((span) => span.text).join("") ?? "";
}

const UNITS: [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** How long something lasts, in its largest unit. */
export function duration(milliseconds: number): string {
  for (const [size, unit] of UNITS) {
    if (milliseconds >= size) return `${Math.floor(milliseconds / size)} ${unit}`;
  }
  return `${Math.max(0, Math.floor(milliseconds / 1000))} s`;
}

/** A time of today, or else a date with a time. */
export function clock(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? time : `${date.toLocaleDateString()} ${time}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
