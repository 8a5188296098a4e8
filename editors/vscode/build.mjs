// Bundles the extension into `dist`, with the page that the hub serves to browsers as well.
import { build } from "esbuild";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const page = join(root, "../../crates/serve/page");
const dist = join(root, "dist");

await rm(dist, { recursive: true, force: true });
await mkdir(join(dist, "page"), { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: { extension: "src/extension.ts" },
  outdir: dist,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  legalComments: "none",
  charset: "utf8",
});
for (const name of ["app.js", "page.css", "trace.js"]) {
  await cp(join(page, name), join(dist, "page", name));
}
await writeFile(join(dist, "page/theme.css"), await theme());
await cp(join(root, "../../LICENSE"), join(root, "LICENSE"));

/**
 * The colours of the page, chosen by the kind of the editor's theme instead of by the system, then
 * the colours that the theme itself names.
 */
async function theme() {
  const colors = await readFile(join(root, "../../web/src/style/theme.css"), "utf8");
  const [dark, light] = [...colors.matchAll(/:root \{([^}]*)\}/g)].map((found) => found[1]);
  if (light === undefined) throw new Error("web/src/style/theme.css has no dark and light colours");
  return [
    `body.vscode-dark, body.vscode-high-contrast {${dark.replace(/color-scheme[^;]*;/, "")}}`,
    `body.vscode-light, body.vscode-high-contrast-light {${light}}`,
    await readFile(join(root, "media/editor.css"), "utf8"),
  ].join("\n");
}
