// Builds the page into the folder of the crate that embeds it, or into the folder that is named.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? join(root, "../crates/serve/page");

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await cp(join(root, "public"), out, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: {
    app: "src/main.tsx",
    login: "src/login.ts",
    trace: "src/trace/viewer.tsx",
    page: "src/style/page.css",
  },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome110", "firefox115", "safari16"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
});
