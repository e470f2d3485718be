// node unit.mjs TOOLS FILE.test.ts: bundles a file of node tests with the modules of the page that it imports, and runs
// it. `studio/` at the front of an import is the folder bindings/js/studio/src.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [tools, source] = process.argv.slice(2).map((path) => resolve(path));
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const SOURCES = join(ROOT, "bindings", "js", "src"), OUT = join(ROOT, "build", "studio-tests");
const { build } = createRequire(join(tools, "package.json"))("esbuild");

mkdirSync(OUT, { recursive: true });
const outfile = join(OUT, `${basename(source, ".ts")}.mjs`);
await build({
  entryPoints: [source],
  outfile,
  bundle: true,
  platform: "node",
  target: "node18",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  alias: {
    studio: join(ROOT, "bindings", "js", "studio", "src"),
    gradmote: join(SOURCES, "index.ts"),
    "gradmote/storage": join(SOURCES, "storage.ts"),
    "gradmote/serial": join(SOURCES, "serial", "index.ts"),
    "#platform": join(SOURCES, "platform.node.ts"),
  },
  nodePaths: [join(tools, "node_modules")],
  loader: { ".py": "text" },
  logLevel: "warning",
});
process.exit(spawnSync(process.execPath, ["--test", outfile], { stdio: "inherit" }).status ?? 1);
