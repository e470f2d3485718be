// node bundle.mjs TOOLS SOURCES OUT MODULE...: bundles modules of the studio's sources into one file, for tests.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [tools, sources, outfile, ...modules] = process.argv.slice(2);
const { build } = createRequire(join(resolve(tools), "any.js"))("esbuild");
const PACKAGE = join(resolve(sources), "..", "..", "src");

await build({
  stdin: { contents: modules.map((name) => `export * from "./${name}";`).join("\n"), resolveDir: resolve(sources), loader: "ts" },
  outfile,
  bundle: true,
  format: "esm",
  target: "es2022",
  alias: { gradmote: join(PACKAGE, "index.ts"), "#platform": join(PACKAGE, "platform.browser.ts") },
  nodePaths: [resolve(tools)],
  logLevel: "warning",
});
