// The five methods of `terminal/*`: real commands, each with its process group and the end of its
// output.
import * as acp from "@agentclientprotocol/sdk/unstable";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as after } from "node:timers/promises";

/** The default output limit, in bytes. */
const most = 1 << 20;
/** The time to wait for output after the end, in milliseconds. */
const late = 200;

/** Returns the end of bytes, starting at a character (TERM-05). */
function end(bytes, limit) {
  let from = Math.max(0, bytes.length - limit);
  while (from > 0 && from < bytes.length && (bytes[from] & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from);
}

class Terminal {
  #output = Buffer.alloc(0);
  #truncated = false;
  #exit = null;

  constructor({ sessionId, command, args, env, cwd, outputByteLimit }, folder) {
    this.sessionId = sessionId;
    this.limit = Math.min(outputByteLimit ?? most, most);
    const environment = { ...process.env, ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])) };
    const options = { cwd: cwd ?? folder, env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true };
    this.child = spawn(command, args ?? [], options);
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", (bytes) => this.#keep(bytes));
    this.started = new Promise((resolve, reject) => {
      this.child.once("spawn", resolve);
      this.child.once("error", reject);
    });
    const closed = new Promise((resolve) => this.child.once("close", resolve));
    this.ended = new Promise((resolve) => {
      this.child.once("exit", async (exitCode, signal) => {
        // Output that arrives after `late` comes from a child of the command.
        await Promise.race([closed, after(late, undefined, { ref: false })]);
        this.#exit = { exitCode, signal };
        resolve(this.#exit);
      });
    });
  }

  #keep(bytes) {
    const all = Buffer.concat([this.#output, bytes]);
    this.#truncated ||= all.length > this.limit;
    // The rest of an incomplete character can arrive later, so the limit applies to bytes, and they
    // are decoded only on request.
    this.#output = all.length > this.limit ? end(all, this.limit) : all;
  }

  output() {
    const exitStatus = this.#exit && { exitStatus: this.#exit };
    return { output: this.#output.toString(), truncated: this.#truncated, ...exitStatus };
  }

  kill() {
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

export class Terminals {
  #terminals = new Map();
  #last = 0;

  constructor(events) {
    this.events = events;
  }

  async create(params, folder) {
    this.events.print("terminal", { command: params.command, args: params.args ?? [] });
    const { cwd } = params;
    if (cwd && !(path.isAbsolute(cwd) && fs.existsSync(cwd))) {
      throw acp.RequestError.invalidParams(undefined, `${cwd} is not an absolute path of a folder`);
    }
    const terminal = new Terminal(params, folder);
    try {
      await terminal.started;
    } catch (error) {
      throw acp.RequestError.internalError(undefined, `${params.command}: ${error.message}`);
    }
    const terminalId = `terminal-${(this.#last += 1)}`;
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  #of({ sessionId, terminalId }) {
    const terminal = this.#terminals.get(terminalId);
    if (terminal?.sessionId !== sessionId) throw acp.RequestError.invalidParams(undefined, `terminal ${terminalId} does not exist`);
    return terminal;
  }

  output(params) {
    return this.#of(params).output();
  }

  /** A cancelled wait is answered too (CANCEL-14). */
  waitForExit(params, signal) {
    const { ended } = this.#of(params);
    const cancelled = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(acp.RequestError.requestCancelled()), { once: true });
    });
    return Promise.race([ended, cancelled]);
  }

  kill(params) {
    this.#of(params).kill();
    return {};
  }

  release(params) {
    this.#of(params).kill();
    this.#terminals.delete(params.terminalId);
    return {};
  }

  end() {
    for (const terminal of this.#terminals.values()) terminal.kill();
  }
}
