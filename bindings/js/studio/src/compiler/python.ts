// Loads Python: Pyodide from the address in pyodide.json, and the wheels beside the page.

import { GradmoteError } from "gradmote";
import type { PyodideAPI } from "pyodide";
import { Bytecode } from "./bytecode";
import type { Settings } from "./messages";

export type Python = PyodideAPI;
type Load = (options: { indexURL: string; packages: string[]; checkIntegrity?: boolean }) => Promise<Python>;

const WITHOUT = "connect to the network once, or run `gradmote studio --pyodide DIR`; .mote files need no compiler";

/** An interpreter that can import the compiler. `keep` keeps the bytecode of the loaded modules for the next visit. */
interface Loaded {
  python: Python;
  keep: () => Promise<void>;
}

/** Loads Python, and reports each stage in a line. */
export async function loadPython(tell: (line: string) => void): Promise<Loaded> {
  tell("Loading Python");
  const { base, packages, wheels } = await settings();
  const files = Promise.all(wheels.map((wheel) => bytes(address(wheel))));
  files.catch(() => undefined); // awaited below
  const python = await interpreter(address(base), packages);
  tell("Loading the compiler");
  for (const file of await files) python.unpackArchive(file, "wheel");
  const release = new TextEncoder().encode(`${base} ${python.version} ${packages}`).buffer;
  const bytecode = await Bytecode.of([release, ...(await files)]);
  await bytecode.restore(python);
  return { python, keep: () => bytecode.keep(python) };
}

function address(path: string): string {
  return new URL(path, location.href).href;
}

async function settings(): Promise<Settings> {
  return JSON.parse(new TextDecoder().decode(await bytes(address("pyodide.json")))) as Settings;
}

async function interpreter(indexURL: string, packages: string[]): Promise<Python> {
  try {
    const { loadPyodide } = (await import(/* @vite-ignore */ `${indexURL}pyodide.mjs`)) as { loadPyodide: Load };
    const python = await loadPyodide({ indexURL, packages });
    const loaded = new Set(Object.keys(python.loadedPackages).map(plainName));
    const missing = packages.filter((name) => !loaded.has(plainName(name)));
    if (missing.length) throw new Error(`it lacks ${missing.join(", ")}`);
    return python;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GradmoteError(`Python cannot be loaded from ${indexURL} (${reason})`, WITHOUT);
  }
}

/** Returns the normalized name of a package, for comparisons. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** Returns the contents of a file. Throws GradmoteError if it cannot be loaded. */
async function bytes(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch(() => undefined);
  if (!response?.ok) throw new GradmoteError(`${url} cannot be loaded${response ? ` (${response.status})` : ""}`, WITHOUT);
  return response.arrayBuffer();
}
