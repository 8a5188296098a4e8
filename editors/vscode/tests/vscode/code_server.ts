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
  "workbench.editor.useModal": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "window.restoreWindows": "all",
};

export class CodeServer {
  private readonly home = mkdtempSync(join(tmpdir(), "vs-"));
  readonly folder = join(this.home, "project");
  private process: ChildProcess | null = null;
  /** The address of the workbench with the folder. */
  address = "";

  /** Installs the extension and starts the server. */
  async start(): Promise<void> {
    assert.ok(existsSync(server), "install code-server with `node tests/vscode/install.mjs`");
    const vsix = join(root, "attache.vsix");
    assert.ok(existsSync(vsix), "build the extension with `npm run package`");
    for (const name of ["project", "run", "data/Machine", "data/User"]) {
      mkdirSync(join(this.home, name), { recursive: true });
    }
    chmodSync(join(this.home, "run"), 0o700);
    // An agent of version 1, which uses the files of its client.
    this.write("../another", `#!/bin/sh\nexec '${attache()}' agent\n`);
    chmodSync(join(this.home, "another"), 0o755);
    const agents = { Another: join(this.home, "another") };
    const machine = { ...SETTINGS, "attache.path": attache(), "attache.agents": agents };
    this.write("../data/Machine/settings.json", JSON.stringify(machine));
    this.write("../data/User/settings.json", JSON.stringify(SETTINGS));
    this.write("../config.yaml", "auth: none\n");
    await this.run("--install-extension", vsix);
    const given = ["--auth", "none", "--bind-addr", "127.0.0.1:0", ...this.places()];
    const quiet = ["--disable-telemetry", "--disable-update-check"];
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    const options = { env: this.environment(), stdio };
    const started = spawn(node, [server, ...given, ...quiet], options);
    this.process = started;
    const url = await listening(started);
    this.address = `${url}/?folder=${encodeURIComponent(this.folder)}`;
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

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
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

function attache(): string {
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
