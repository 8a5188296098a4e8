import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { OutputBuffer } from "./output_buffer.ts";

/** A command to run. No shell reads the words. */
export interface CommandLine {
  command: string;
  args: string[];
  cwd: string;
  /** The variables that differ from those of this process. */
  env: Record<string, string>;
  /** The most bytes of output that are kept. */
  limit: number;
}

/** How a command ended. */
export interface CommandEnd {
  exitCode: number | null;
  signal: string | null;
}

/** How long output may come after the end, from processes that the command left. */
const AFTER_END = 1000;

/** A command that runs. Its processes form a group of their own. */
export class RunningCommand {
  readonly output: OutputBuffer;
  /** How it ended, after all output. */
  readonly ended: Promise<CommandEnd>;
  end: CommandEnd | null = null;

  private constructor(
    private readonly child: ChildProcessByStdio<null, Readable, Readable>,
    limit: number,
    printed: (text: string) => void,
  ) {
    this.output = new OutputBuffer(limit);
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder("utf8");
      const take = (text: string): void => {
        if (text === "") return;
        this.output.append(text);
        printed(text);
      };
      stream.on("data", (bytes: Buffer) => take(decoder.write(bytes)));
      stream.on("end", () => take(decoder.end()));
      // The end of the process is reported in any case.
      stream.on("error", () => {});
    }
    this.ended = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        const settle = (): void => {
          clearTimeout(late);
          // Processes that the command left end with it.
          this.kill();
          this.end ??= { exitCode, signal };
          resolve(this.end);
        };
        const late = setTimeout(settle, AFTER_END);
        child.once("close", settle);
      });
    });
  }

  /** Starts a command. Fails if the program cannot be started. */
  static async start(line: CommandLine, printed: (text: string) => void): Promise<RunningCommand> {
    if (!existsSync(line.cwd)) throw new Error(`there is no folder ${line.cwd}`);
    const child = spawn(line.command, line.args, {
      cwd: line.cwd,
      env: { ...inherited(process.env), ...line.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const running = new RunningCommand(child, line.limit, printed);
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", () => resolve());
      child.on("error", ({ message }) =>
        reject(new Error(`cannot run ${line.command}: ${message}`)),
      );
    });
    return running;
  }

  /** Ends the command and the processes that it started. */
  kill(): void {
    const { pid } = this.child;
    if (this.end !== null || pid === undefined) return;
    try {
      if (process.platform === "win32") this.child.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // The group has ended meanwhile.
    }
  }
}

/** The variables that a command gets: not those with which the editor is controlled. */
export function inherited(all: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = /^(?:VSCODE_|ELECTRON_|ATTACHE_TOKEN$|ATTACHE_NOTIFY_TOKEN$)/;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !own.test(name)));
}
