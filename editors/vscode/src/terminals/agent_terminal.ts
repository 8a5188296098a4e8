import * as vscode from "vscode";
import { label, visible } from "../text.ts";
import { RunningCommand, type CommandLine } from "./command.ts";
import { PacedOutput } from "./paced_output.ts";
import { ScreenText } from "./screen_text.ts";

const TITLE = 60;
const INTERRUPT = "\x03";

/** A terminal of VS Code that shows a command of an agent. Typing reaches no command. */
export class AgentTerminal implements vscode.Disposable {
  private readonly wrote = new vscode.EventEmitter<string>();
  private readonly closing = new vscode.EventEmitter<void>();
  private readonly screen = new ScreenText();
  private readonly paced = new PacedOutput((text) => this.wrote.fire(text));
  private terminal: vscode.Terminal | null = null;

  private constructor(readonly session: string) {}

  /** The command. {@link AgentTerminal.start} sets it before it returns. */
  private running!: RunningCommand;

  /** Starts a command, and shows it without taking the focus. */
  static async start(session: string, line: CommandLine): Promise<AgentTerminal> {
    const shown = new AgentTerminal(session);
    const words = visible([line.command, ...line.args].join(" "));
    shown.print(`\x1b[1m> ${words}\x1b[0m\n`);
    shown.running = await RunningCommand.start(line, (text) => shown.print(text));
    shown.open(words);
    return shown;
  }

  get command(): RunningCommand {
    return this.running;
  }

  dispose(): void {
    this.running.kill();
    this.terminal?.dispose();
    this.paced.dispose();
    this.wrote.dispose();
    this.closing.dispose();
  }

  private open(words: string): void {
    const title = label(words);
    const name = title.length > TITLE ? `${title.slice(0, TITLE)}…` : title;
    const pty: vscode.Pseudoterminal = {
      onDidWrite: this.wrote.event,
      onDidClose: this.closing.event,
      open: () => this.paced.open(),
      // The person closed it.
      close: () => this.running.kill(),
      handleInput: (typed) => {
        if (this.running.end !== null) this.closing.fire();
        else if (typed === INTERRUPT) this.running.kill();
      },
    };
    const iconPath = new vscode.ThemeIcon("sparkle");
    this.terminal = vscode.window.createTerminal({ name, pty, iconPath, isTransient: true });
    this.terminal.show(true);
    void this.running.ended.then(({ exitCode, signal }) => {
      const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
      this.print(`\n\x1b[2m[ended: ${how}; press a key to close]\x1b[0m\n`);
    });
  }

  private print(output: string): void {
    this.paced.add(this.screen.take(output));
  }
}
