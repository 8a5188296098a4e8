import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

/** How the program is started. */
export interface Launch {
  path: string;
  /** The name of the hub; empty for the default one. */
  hub: string;
  /** Whether commands of agents run in terminals of the window. */
  terminals: boolean;
}

/** What a process reports. `ended` is called exactly once. */
export interface ProcessEvents {
  line(text: string): void;
  /** A line that the program printed for people. */
  said(text: string): void;
  ended(end: ProcessEnd): void;
}

/** How a process ended. */
export interface ProcessEnd {
  /** Whether there is no such program. */
  missing: boolean;
  /** What the program said last, or else why it ended. */
  why: string;
}

/** The number of characters of stderr that are kept. */
const MOST_SAID = 4096;

/** Returns the arguments that begin every command for this hub. */
export function hubArguments({ hub }: Launch): string[] {
  return hub === "" ? [] : ["--name", hub];
}

/** The process `attache attach`, which is the way to the shared hub. */
export class AttachProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private said = "";

  constructor(launch: Launch, events: ProcessEvents) {
    this.child = spawn(launch.path, ["attach", ...hubArguments(launch)], { windowsHide: true });
    const { child } = this;
    eachLine(child.stdout, events.line);
    eachLine(child.stderr, (line) => {
      this.said = `${this.said}${line}\n`.slice(-MOST_SAID);
      events.said(line);
    });
    let ended = false;
    const end = (how: ProcessEnd): void => {
      if (ended) return;
      ended = true;
      events.ended(how);
    };
    child.on("error", ({ code, message }: NodeJS.ErrnoException) => {
      const missing = code === "ENOENT";
      const none = "was not found. Install attache, or set attache.path.";
      end({ missing, why: `${launch.path} ${missing ? none : `cannot be started: ${message}`}` });
    });
    child.on("close", (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      end({ missing: false, why: this.said.trim() || `${launch.path} ended (${how})` });
    });
    // The end of the process is reported above.
    child.stdin.on("error", () => {});
  }

  send(text: string): void {
    if (this.child.stdin.writable) this.child.stdin.write(`${text}\n`);
  }

  /** Closes stdin, after which the program ends. */
  close(): void {
    this.child.stdin.end();
  }
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  stream.on("data", (bytes: Buffer) => {
    const pieces = decoder.write(bytes).split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      take(parts.join("") + piece);
      parts = [];
    }
    if (last !== "") parts.push(last);
  });
  stream.on("end", () => {
    const rest = parts.join("") + decoder.end();
    if (rest !== "") take(rest);
  });
}
