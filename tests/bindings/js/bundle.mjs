// node bundle.mjs vite|webpack TOOLS: bundles bundled.mjs into the folder of that name, with a page.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [bundler, tools] = process.argv.slice(2);
const require = createRequire(join(tools, "any.js"));
const here = fileURLToPath(new URL(".", import.meta.url)), out = join(here, bundler);
rmSync(out, { recursive: true, force: true });
mkdirSync(out);

const BUNDLERS = {
  async vite() {
    const { build } = await import(pathToFileURL(require.resolve("vite")).href);
    writeFileSync(join(here, "index.html"), '<!doctype html><script type="module" src="./bundled.mjs"></script>');
    await build({ root: here, base: "./", logLevel: "warn", configFile: false, build: { outDir: out, target: "es2022" } });
  },
  async webpack() {
    const settings = { mode: "production", context: here, entry: "./bundled.mjs", output: { path: out, filename: "main.js" },
      experiments: { topLevelAwait: true }, performance: { hints: false } };
    await new Promise((done, failed) => require("webpack")(settings, (error, stats) =>
      error || stats.hasErrors() || stats.hasWarnings() ? failed(error ?? new Error(stats.toString())) : done()));
    writeFileSync(join(out, "index.html"), '<!doctype html><script src="main.js"></script>');
  },
};
await BUNDLERS[bundler]();
