import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { attache } from "./code_server.ts";
import { visit } from "./visits.ts";

/** A hub of another version, which notes that it is restarted. */
const OTHER = `#!/bin/sh
case "$1" in
attach)
  read -r line
  echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"_meta":\
{"attache":{"version":1,"scope":"control","hub":"9.9.0","local":true}}}}}'
  cat > /dev/null ;;
serve) echo "$@" > "$(dirname "$0")/restarted" ;;
esac
`;

visit("a missing program and another version are explained", {}, async ({ server, bench }) => {
  const { page } = bench;
  const missing = join(server.home, "no-attache");
  server.usePath(missing);
  try {
    await bench.trust();
    const notice = bench.notification(/no-attache was not found\. Install attache/);
    await notice.getByRole("button", { name: "Set the Path" }).waitFor();
    await page.getByText("The program attache was not found").first().waitFor();
    const other = server.program("other-attache", OTHER);
    server.usePath(other);
    const wrong = bench.notification(/The hub has version 9\.9\.0/);
    await wrong.getByText("Update the extension.").waitFor();
    assert.ok(!existsSync(join(server.home, "restarted")));
    await wrong.getByRole("button", { name: "Restart the Hub" }).click();
    while (!existsSync(join(server.home, "restarted"))) await page.waitForTimeout(100);
    await page.getByText("Not connected to the hub.").first().waitFor();
  } finally {
    server.usePath(attache());
  }
  // The next attempt uses the right path.
  await page.locator(".statusbar-item .codicon-sparkle").waitFor();
});
