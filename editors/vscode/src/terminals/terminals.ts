import * as vscode from "vscode";
import { Refusal, type Serve } from "../hub/window_peer.ts";
import { AgentTerminal } from "./agent_terminal.ts";
import type { CommandEnd } from "./command.ts";

interface CreateParams {
  sessionId: string;
  command: string;
  args?: string[];
  env?: { name: string; value: string }[];
  cwd?: string | null;
  outputByteLimit?: number | null;
}

interface TerminalParams {
  sessionId: string;
  terminalId: string;
}

const NOT_FOUND = -32002;
const FAILED = -32603;
const LIMIT = 1 << 20;
/** The most terminals of commands that were released and are still shown. */
const MOST_RELEASED = 5;

/**
 * Runs the commands of agents in terminals of the window, for the sessions that it created. The hub
 * has checked the permission for each command, and hands over only words that need no quoting.
 */
export class Terminals implements vscode.Disposable {
  private readonly known = new Map<string, AgentTerminal>();
  private released: AgentTerminal[] = [];
  private last = 0;
  /** How often all commands were ended. One that is being started then ends too. */
  private ends = 0;

  constructor(private readonly owns: (session: string) => boolean) {}

  readonly serve: Serve = async (method, params) => {
    if (method === "terminal/create") return this.create(params as CreateParams);
    const { sessionId, terminalId } = params as TerminalParams;
    const terminal = this.known.get(terminalId);
    if (terminal === undefined || terminal.session !== sessionId) {
      throw new Refusal(NOT_FOUND, `this window has no terminal ${terminalId} of the session`);
    }
    const { command } = terminal;
    switch (method) {
      case "terminal/output": {
        const { output, end } = command;
        const ended = end === null ? {} : { exitStatus: end };
        return { output: output.text(), truncated: output.truncated, ...ended };
      }
      case "terminal/wait_for_exit":
        return (await command.ended) satisfies CommandEnd;
      case "terminal/kill":
        command.kill();
        return {};
      case "terminal/release":
        this.release(terminalId, terminal);
        return {};
      default:
        throw new Refusal(-32601, `this window does not serve ${method}`);
    }
  };

  /** Ends the commands, because nobody can ask for their end any more. */
  endAll(): void {
    this.ends++;
    for (const [id, terminal] of this.known) this.release(id, terminal);
  }

  dispose(): void {
    this.ends++;
    for (const terminal of [...this.known.values(), ...this.released]) terminal.dispose();
    this.known.clear();
    this.released = [];
  }

  private async create(params: CreateParams): Promise<{ terminalId: string }> {
    const { sessionId, command, args = [], env = [], cwd, outputByteLimit } = params;
    if (!this.owns(sessionId) || !vscode.workspace.isTrusted) {
      throw new Refusal(NOT_FOUND, `this window did not open the session ${sessionId}`);
    }
    const folder = cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    if (folder === undefined) throw new Refusal(FAILED, "the command names no folder (`cwd`)");
    const line = {
      command,
      args,
      cwd: folder,
      env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
      limit: outputByteLimit ?? LIMIT,
    };
    const { ends } = this;
    const terminal = await AgentTerminal.start(sessionId, line).catch((error: Error) => {
      throw new Refusal(FAILED, error.message);
    });
    if (ends !== this.ends) {
      terminal.dispose();
      throw new Refusal(FAILED, "the window has disconnected");
    }
    const terminalId = `terminal-${++this.last}`;
    this.known.set(terminalId, terminal);
    return { terminalId };
  }

  /** Ends the command. Its terminal stays, until later ones take its place. */
  private release(id: string, terminal: AgentTerminal): void {
    terminal.command.kill();
    this.known.delete(id);
    this.released.push(terminal);
    while (this.released.length > MOST_RELEASED) this.released.shift()?.dispose();
  }
}
