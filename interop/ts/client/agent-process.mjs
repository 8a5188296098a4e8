// The agent's process, and the same program run for a terminal login.
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { setTimeout as after } from "node:timers/promises";

export class AgentProcess {
  constructor([command, ...args], events) {
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.exited = new Promise((resolve) => {
      this.child.once("exit", resolve);
      this.child.once("error", (error) => {
        events.error("connection", error);
        resolve();
      });
    });
    // A write to an agent that is gone fails here; the failed calls are reported as events.
    this.child.stdin.on("error", () => {});
    const { stdin, stdout } = this.child;
    this.stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout));
  }

  /** Closes the agent's stdin, and kills the agent if it does not end. */
  async end() {
    this.child.stdin.end();
    await Promise.race([this.exited, after(2000, undefined, { ref: false }).then(() => this.child.kill("SIGKILL"))]);
  }
}

/**
 * Runs the same program with the method's additional arguments and variables; returns whether it
 * exited with 0 (AUTH-08).
 */
export function loginInTerminal([command, ...args], method) {
  const child = spawn(command, [...args, ...(method.args ?? [])], {
    env: { ...process.env, ...method.env },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
