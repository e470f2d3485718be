// Makes the package: node build.mjs OUT MODULES TOOLS. OUT receives what `npm pack` packs; MODULES is the folder of
// gradmote.wasm and its other forms, TOOLS that of node_modules. tsc makes the types, esbuild and terser the rest.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [out, modules, tools] = process.argv.slice(2).map((path) => resolve(path));
const installed = createRequire(join(tools, "package.json"));
const { build } = installed("esbuild"), { minify } = installed("terser");
const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..", "..");
const FORMS = ["", "-simd", "-int8", "-int8-simd"];
const MODULES = ["gradmote", "gradmote-infer"].flatMap((name) => FORMS.map((form) => `${name}${form}.wasm`));
/** Entry -> its output file in browsers and in node, without the extension. */
const ENTRIES = {
  index: { browser: "gradmote", node: "node" },
  "training/index": { browser: "training", node: "training.node" },
  "infer/index": { browser: "infer", node: "infer.node" },
  storage: { browser: "storage", node: "storage.node" },
  checkpoint: { browser: "checkpoint", node: "checkpoint.node" },
  export: { browser: "export", node: "export.node" },
  "federated/index": { browser: "federated", node: "federated.node" },
  "serial/index": { browser: "serial", node: "serial.node" },
  "serial/element/index": { browser: "board", node: "board.node" },
  worker: { browser: "worker", node: "worker.node" },
};
/** Entry -> the global that its script defines. */
const GLOBALS = {
  index: "gradmote",
  "training/index": "ort",
  "infer/index": "gradmoteInfer",
  storage: "gradmoteStorage",
  checkpoint: "gradmoteCheckpoint",
  export: "gradmoteExport",
  "federated/index": "gradmoteFederated",
  "serial/index": "gradmoteSerial",
  "serial/element/index": "gradmoteBoard",
};
/** Members of Memory, of Tensor and of the line to a worker that no page sees: scripts give them short names. */
const INTERNAL = /^(openMemory|heapEnd|scratch|reserve|through|floats|words|given|title|description|view|opened|receive|failed|ask)$/;
/** Options that shorten a script: assign fields, use arrow functions, and skip getters with unused results. */
const SHORT = { tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } } };
const COMPRESS = { passes: 3, unsafe_arrows: true, pure_getters: true };
/** Replaces import.meta.url in a CommonJS file. */
const COMMONJS = { define: { "import.meta.url": "__address" }, banner: { js: 'const __address = require("node:url").pathToFileURL(__filename).href;' } };

/** Makes an entry import the shared classes from the files of other entries: the main one's, and those of boards. */
function besides(entry, place, ending) {
  if (entry.startsWith("infer")) return { name: "alone", setup: () => {} }; // its pages load no training code
  const session = entry.startsWith("federated") && { "errors.js": "index", "session.js": "index" };
  const shared = ["checkpoint", "export"].includes(entry) && { "errors.js": "index" };
  const owners = { "index.js": "index", ...session, ...shared, ...(entry.startsWith("serial") && { "errors.js": "index", "serial/index.js": "serial/index" }) };
  const beside = ({ path, resolveDir }) => {
    const owner = owners[relative(join(HERE, "src"), join(resolveDir, path)).replaceAll("\\", "/")];
    if (owner && owner !== entry) return { path: `./${ENTRIES[owner][place]}${ending}`, external: true };
  };
  return { name: "beside", setup: (build) => build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, beside) };
}

/** Resolves the module that differs between platforms. */
function platform(name, entry) {
  const path = join(HERE, "src", entry.startsWith("infer") ? "infer" : "", `platform.${name}.ts`);
  return { name: "platform", setup: (build) => build.onResolve({ filter: /^#platform$/ }, () => ({ path })) };
}

/** Bundles one entry, and returns its text. */
async function bundled(entry, place, options, plugins = []) {
  const entryPoints = [join(HERE, "src", `${entry}.ts`)];
  const common = { bundle: true, target: "es2022", legalComments: "none", logLevel: "warning", absWorkingDir: HERE };
  const made = await build({ ...common, entryPoints, write: false, plugins: [platform(place, entry), ...plugins], ...options });
  return made.outputFiles[0].text;
}

/** Bundles one entry into one file. */
async function bundle(entry, outfile, place, options, plugins) {
  writeFileSync(outfile, await bundled(entry, place, options, plugins));
}

/** Bundles one entry into a script that defines one global; esbuild alone takes 450 bytes more under brotli. */
async function bundleScript(entry, outfile, globalName) {
  const text = await bundled(entry, "script", { format: "esm", minify: true, mangleProps: INTERNAL, ...SHORT });
  const { code } = await minify(text, { module: true, ecma: 2020, compress: COMPRESS });
  const body = code.replace(/export\{([^}]*)\};\s*$/, (_, names) => `return{${names.split(",").map(property)}}`);
  if (body === code) throw new Error(`${entry} ends without the names that it exports`);
  writeFileSync(outfile, `"use strict";var ${globalName}=(()=>{${body}})();\n`);
}

/** Returns an export, `local as name` or `name`, as a property of an object literal. */
function property(exported) {
  const [local, name = local] = exported.split(" as ");
  return `${name}:${local}`;
}

async function bundleEntry(entry, dist) {
  const { browser, node } = ENTRIES[entry];
  const onNode = { platform: "node", target: "node18" };
  await bundle(entry, join(dist, `${browser}.mjs`), "browser", { format: "esm" }, [besides(entry, "browser", ".mjs")]);
  await bundle(entry, join(dist, `${node}.mjs`), "node", { ...onNode, format: "esm" }, [besides(entry, "node", ".mjs")]);
  await bundle(entry, join(dist, `${node}.cjs`), "node", { ...onNode, ...COMMONJS, format: "cjs" }, [besides(entry, "node", ".cjs")]);
  if (entry === "worker") return bundle(entry, join(dist, "worker.min.js"), "script", { format: "iife", minify: true });
  await bundleScript(entry, join(dist, `${browser}.min.js`), GLOBALS[entry]);
}

/** Checks the types, and writes the declarations. */
function writeTypes(folder) {
  const tsc = join(tools, "node_modules", "typescript", "bin", "tsc"), types = join(tools, "node_modules", "@types");
  execFileSync(process.execPath, [tsc, "-p", HERE, "--outDir", folder, "--typeRoots", types], { stdio: "inherit" });
}

/** Returns the published package.json, without what only development needs. */
function published() {
  const { devDependencies: _development, imports: _imports, ...kept } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
  return JSON.stringify(kept, null, 2) + "\n";
}

rmSync(out, { recursive: true, force: true });
const dist = join(out, "dist");
mkdirSync(dist, { recursive: true });
for (const entry of Object.keys(ENTRIES)) await bundleEntry(entry, dist);
for (const { node } of Object.values(ENTRIES)) { // fails if one imports what another does not export
  if (node !== ENTRIES.worker.node) await import(pathToFileURL(join(dist, `${node}.mjs`)).href);
}
writeTypes(join(dist, "types"));
for (const name of MODULES) cpSync(join(modules, name), join(dist, name));
cpSync(join(HERE, "README.md"), join(out, "README.md"));
cpSync(join(ROOT, "LICENSE"), join(out, "LICENSE"));
writeFileSync(join(out, "package.json"), published());
