// Makes the page: node build.mjs OUT MODULES EXAMPLES WHEELS TOOLS. OUT receives static files; MODULES is the folder of
// gradmote.wasm and its other forms, EXAMPLES that of example models and samples, WHEELS that of the compiler's wheels,
// TOOLS that of node_modules.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [out, modules, examples, wheels, tools] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(tools, "package.json"))("esbuild");
const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGE = join(HERE, "..", "src");
const MODULES = ["gradmote.wasm", "gradmote-simd.wasm", "gradmote-int8.wasm", "gradmote-int8-simd.wasm"];
const STATIC = ["index.html", "manifest.webmanifest", "icons"];
/** The output file -> its source. Workers are in the page's folder, as scripts look for them there. */
const ENTRIES = {
  main: join(HERE, "src", "main.tsx"),
  worker: join(PACKAGE, "worker.ts"),
  data: join(HERE, "src", "data", "worker.ts"),
  compiler: join(HERE, "src", "compiler", "worker.ts"),
};
/** The service worker has types of its own, and a list of all other files. */
const OFFLINE = join(HERE, "src", "offline", "worker");
/** The package is bundled from its sources, so that all parts of the page share its classes. */
const ALIAS = {
  gradmote: join(PACKAGE, "index.ts"),
  "gradmote/storage": join(PACKAGE, "storage.ts"),
  "gradmote/serial": join(PACKAGE, "serial", "index.ts"),
  "#platform": join(PACKAGE, "platform.browser.ts"),
};

/** Checks the types. */
function check() {
  const tsc = join(tools, "node_modules", "typescript", "bin", "tsc");
  for (const folder of [HERE, OFFLINE]) execFileSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
}

/** The compiler's files are loaded and kept at its first use (src/offline/worker/compiler-files.ts). */
const ofCompiler = (path) => path.endsWith(".whl") || path === "pyodide.json";

/** Lists the files that keep the page usable offline, each with its hash in the form of `integrity`. */
function kept() {
  const found = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => relative(out, join(entry.parentPath, entry.name)).replaceAll("\\", "/")).sort();
  const digest = (path) => createHash("sha256").update(readFileSync(join(out, path))).digest("base64");
  return paths.filter((path) => !ofCompiler(path)).map((path) => [path, `sha256-${digest(path)}`]);
}

async function bundle(name, source, format, define = {}) {
  await build({
    entryPoints: [source],
    outfile: join(out, `${name}.${format === "esm" ? "mjs" : "js"}`),
    define,
    bundle: true,
    minify: true,
    format,
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: ALIAS,
    nodePaths: [join(tools, "node_modules")],
    loader: { ".py": "text" },
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: HERE,
  });
}

check();
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, source] of Object.entries(ENTRIES)) {
  if (existsSync(source)) await bundle(name, source, "esm");
}
for (const name of MODULES) cpSync(join(modules, name), join(out, name));
cpSync(examples, join(out, "examples"), { recursive: true });
const shown = (path) => !path.endsWith(".mjs"); // icons/draw.mjs draws the other files
for (const name of STATIC) cpSync(join(HERE, name), join(out, name), { recursive: true, filter: shown });
await bundle("offline", join(OFFLINE, "worker.ts"), "iife", { BUILD: JSON.stringify({ files: kept() }) });
cpSync(wheels, out, { recursive: true }); // after the list: users who never compile load none of these
