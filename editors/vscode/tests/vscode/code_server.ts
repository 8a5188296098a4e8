// VS Code in a browser, with the extension, a folder and a hub of its own.
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { folder as installed, node, server } from "./install.mjs";

const root = resolve(import.meta.dirname, "../..");

/** How VS Code behaves in the tests: quiet, and the same on every machine. */
const SETTINGS = {
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.startupPrompt": "always",
  "telemetry.telemetryLevel": "off",
  "terminal.integrated.gpuAcceleration": "off",
  "workbench.editor.useModal": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "files.simpleDialog.enable": true,
  "window.restoreWindows": "all",
};

const isHost = /--type=extensionHost/;

export class CodeServer {
  readonly home = mkdtempSync(join(tmpdir(), "vs-"));
  private process: ChildProcess | null = null;
  private url = "";

  /** Installs the extension and starts the server. */
  async start(): Promise<void> {
    assert.ok(existsSync(server), "install code-server with `node tests/vscode/install.mjs`");
    const vsix = join(root, "attache.vsix");
    assert.ok(existsSync(vsix), "build the extension with `npm run package`");
    for (const name of ["run", "data/Machine", "data/User"]) {
      mkdirSync(join(this.home, name), { recursive: true });
    }
    chmodSync(join(this.home, "run"), 0o700);
    // An agent of version 1, which uses the files of its client.
    this.program("another", `#!/bin/sh\nexec '${attache()}' agent\n`);
    const commander = join(import.meta.dirname, "commander.mjs");
    this.program("commander", `#!/bin/sh\nexec '${node}' '${commander}'\n`);
    this.usePath(attache());
    this.write("data/User/settings.json", JSON.stringify(SETTINGS));
    this.write("config.yaml", "auth: none\n");
    await this.run("--install-extension", vsix);
    const given = ["--auth", "none", "--bind-addr", "127.0.0.1:0", ...this.places()];
    const quiet = ["--disable-telemetry", "--disable-update-check"];
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    const options = { env: this.environment(), stdio };
    const started = spawn(node, [server, ...given, ...quiet], options);
    this.process = started;
    this.url = await listening(started);
  }

  /** Sets the path of the program for all windows. */
  usePath(path: string): void {
    const agents = {
      Another: join(this.home, "another"),
      Commander: join(this.home, "commander"),
    };
    const machine = { ...SETTINGS, "attache.path": path, "attache.agents": agents };
    this.write("data/Machine/settings.json", JSON.stringify(machine));
  }

  /** Ends the processes in which extensions run, as a crash does. */
  async killExtensionHosts(): Promise<void> {
    const { stdout } = await promisify(execFile)("ps", ["-e", "-o", "pid=,ppid=,args="]);
    const all = stdout.split("\n").map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
    const own = new Set([String(this.process?.pid)]);
    // A process comes after its parent, unless their numbers began again.
    for (const [, pid, parent] of [...all, ...all]) if (pid && own.has(parent ?? "")) own.add(pid);
    const hosts = all.filter(([, pid, , args]) => pid && own.has(pid) && isHost.test(args ?? ""));
    assert.ok(hosts.length > 0, "no extension host runs");
    for (const [, pid] of hosts) process.kill(Number(pid), "SIGKILL");
  }

  /** Writes a program, and returns its path. */
  program(name: string, text: string): string {
    this.write(name, text);
    const path = join(this.home, name);
    chmodSync(path, 0o755);
    return path;
  }

  /** Creates a folder with these files, to open in a window. */
  project(name: string, files: Record<string, string>): Project {
    const folder = join(this.home, name);
    mkdirSync(folder);
    const project = new Project(folder, `${this.url}/?folder=${encodeURIComponent(folder)}`);
    for (const [file, text] of Object.entries(files)) project.write(file, text);
    return project;
  }

  async stop(): Promise<void> {
    const { process } = this;
    if (process !== null && process.exitCode === null) {
      process.kill("SIGTERM");
      await once(process, "exit");
    }
    // No hub runs if the extension never started one.
    await promisify(execFile)(attache(), ["serve", "stop"], { env: this.environment() }).catch(
      () => {},
    );
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Whether a hub was started. */
  hasHub(): boolean {
    return existsSync(join(this.home, "run/attache"));
  }

  private write(file: string, text: string): void {
    writeFileSync(join(this.home, file), text);
  }

  private places(): string[] {
    const of = (name: string): string => join(this.home, name);
    return [
      ...["--config", of("config.yaml")],
      ...["--user-data-dir", of("data"), "--extensions-dir", of("extensions")],
    ];
  }

  private async run(...given: string[]): Promise<void> {
    const options = { env: this.environment() };
    await promisify(execFile)(node, [server, ...given, ...this.places()], options);
  }

  private environment(): NodeJS.ProcessEnv {
    const of = (name: string): string => join(this.home, name);
    return {
      PATH: `${join(installed, "node/bin")}:${process.env["PATH"]}`,
      SHELL: "/bin/sh",
      HOME: this.home,
      EXTENSIONS_GALLERY: "{}",
      XDG_RUNTIME_DIR: of("run"),
      XDG_STATE_HOME: of("state"),
      XDG_DATA_HOME: of("share"),
      XDG_CONFIG_HOME: of("config"),
      XDG_CACHE_HOME: of("cache"),
    };
  }
}

/** A folder that a window shows. */
export class Project {
  constructor(
    readonly folder: string,
    /** The address of a window with the folder. */
    readonly address: string,
  ) {}

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }
}

export function attache(): string {
  const path = resolve(root, process.env["ATTACHE"] ?? "../../target/debug/attache");
  const how = "build it with `cargo build`, or name one with the variable ATTACHE";
  assert.ok(existsSync(path), `there is no attache at ${path}: ${how}`);
  return path;
}

type Started = ChildProcess & { stdout: NodeJS.ReadableStream };

/** Waits until the server says its address. */
async function listening(server: Started): Promise<string> {
  const said: string[] = [];
  const ended = once(server, "exit").then(() => null);
  const lines = createInterface({ input: server.stdout });
  const found = (async () => {
    for await (const line of lines) {
      said.push(line);
      const url = /listening on (http:\/\/\S+?)\/?$/.exec(line)?.[1];
      if (url !== undefined) return url;
    }
    return null;
  })();
  const url = await Promise.race([found, ended]);
  assert.ok(url, `code-server ended: ${said.join("\n")}`);
  server.stdout.resume();
  return url;
}
