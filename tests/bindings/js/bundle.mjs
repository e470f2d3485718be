// node bundle.mjs vite|webpack TOOLS ENTRY OUT: bundles a script of this folder into the folder OUT, with a page. What it
// imports from onnxruntime-web/training comes from gradmote/training.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [bundler, tools, entry, folder] = process.argv.slice(2);
const require = createRequire(join(tools, "any.js"));
const here = fileURLToPath(new URL(".", import.meta.url)), out = join(here, folder);
const alias = { "onnxruntime-web/training": "gradmote/training" };
rmSync(out, { recursive: true, force: true });
mkdirSync(out);

const BUNDLERS = {
  async vite() {
    const { build } = await import(pathToFileURL(require.resolve("vite")).href);
    writeFileSync(join(here, "index.html"), `<!doctype html><body><script type="module" src="./${entry}"></script>`);
    await build({ root: here, base: "./", logLevel: "warn", configFile: false, resolve: { alias }, build: { outDir: out, target: "es2022" } });
  },
  async webpack() {
    const settings = { mode: "production", context: here, entry: `./${entry}`, output: { path: out, filename: "main.js" },
      resolve: { alias }, experiments: { topLevelAwait: true }, performance: { hints: false } };
    await new Promise((done, failed) => require("webpack")(settings, (error, stats) =>
      error || stats.hasErrors() || stats.hasWarnings() ? failed(error ?? new Error(stats.toString())) : done()));
    writeFileSync(join(out, "index.html"), '<!doctype html><body><script src="main.js"></script>');
  },
};
await BUNDLERS[bundler]();
