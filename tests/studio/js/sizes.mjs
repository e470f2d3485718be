// What the page loads: at once, when a model is opened, and to keep itself for use without a network. Prints the bytes of
// each file, plain and as brotli makes it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { openExample, openStudio, root } from "./studio.mjs";

const asked = [];
const studio = await openStudio({
  before: (page) => page.context().on("request", (request) => asked.push(new URL(request.url()).pathname.slice(1))),
});
const { page } = studio;

/** Returns the files that were asked for since the last call, each once. */
async function loaded() {
  await page.waitForLoadState("networkidle");
  const names = [...new Set(asked.splice(0).map((name) => name || "index.html"))];
  return Object.fromEntries(names.map((name) => [name, sizes(name)]));
}

function sizes(name) {
  const content = readFileSync(join(root, name));
  return [content.length, brotliCompressSync(content).length];
}

const first = await loaded();
await openExample(page);
const opened = await loaded();
const list = [...readFileSync(join(root, "offline.js"), "utf8").matchAll(/\["([^"]+)","sha256-/g)].map(([, name]) => name);
const kept = Object.fromEntries(list.map((name) => [name, sizes(name)]));
await studio.end({ first, opened, kept });
