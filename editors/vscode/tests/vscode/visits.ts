// One VS Code and one browser for all tests of a run. Each test has a window and a folder.
import type { Browser } from "playwright-core";
import { after, before, test } from "node:test";
import { CodeServer, type Project } from "./code_server.ts";
import { openBrowser, Workbench } from "./workbench.ts";

/** What a test uses. */
export interface Visit {
  server: CodeServer;
  project: Project;
  bench: Workbench;
}

const server = new CodeServer();
let browser: Browser | undefined;
let visits = 0;

before(async () => {
  await server.start();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server.stop();
});

/** Declares a test in a window of its own, which asks whether it may trust the folder. */
export function visit(
  name: string,
  files: Record<string, string>,
  run: (visit: Visit) => Promise<void>,
): void {
  test(name, async () => {
    const project = server.project(`project${++visits}`, files);
    const bench = await Workbench.open(browser!, project.address);
    try {
      await run({ server, project, bench });
    } catch (error) {
      await bench.picture(`failed-${visits}`);
      throw error;
    } finally {
      await bench.close();
    }
  });
}
