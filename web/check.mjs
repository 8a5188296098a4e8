// Checks that the committed page is what a fresh build writes, and that it is small.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** The largest size of the whole page, compressed. */
const MOST_BYTES = 150_000;

const root = fileURLToPath(new URL(".", import.meta.url));
const committed = join(root, "../crates/serve/page");
const fresh = mkdtempSync(join(tmpdir(), "attache-page-"));
const fail = (why) => {
  console.error(why);
  process.exitCode = 1;
};
try {
  execFileSync(process.execPath, [join(root, "build.mjs"), fresh], { stdio: "inherit" });
  const names = readdirSync(fresh).sort();
  if (names.join() !== readdirSync(committed).sort().join()) {
    fail("crates/serve/page has other files than a fresh build: run npm run build in web");
  }
  let total = 0;
  for (const name of names) {
    const bytes = readFileSync(join(fresh, name));
    total += gzipSync(bytes, { level: 9 }).length;
    if (!bytes.equals(readFileSync(join(committed, name)))) {
      fail(`crates/serve/page/${name} is out of date: run npm run build in web`);
    }
  }
  if (total > MOST_BYTES) fail(`the page has ${total} bytes compressed, more than ${MOST_BYTES}`);
  else console.log(`the page has ${total} bytes compressed`);
} finally {
  rmSync(fresh, { recursive: true });
}
