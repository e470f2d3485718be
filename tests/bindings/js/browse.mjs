// node browse.mjs CHROMIUM TOOLS ADDRESS...: opens pages of the project in Chromium, and prints what each leaves in
// globalThis.result as JSON, with the errors of the page.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { federation } from "./federated.mjs";

const [chromium, tools, ...pages] = process.argv.slice(2);
const { chromium: browsers } = createRequire(join(tools, "any.js"))("playwright-core");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const root = fileURLToPath(new URL("..", import.meta.url));

const federate = federation();
const server = createServer(async (request, response) => {
  const { url } = request;
  if (url === "/federated") return federate(request, response);
  const path = join(root, decodeURIComponent(new URL(url, "http://here").pathname));
  const data = await readFile(path).catch(() => undefined);
  response.writeHead(data ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(data);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const results = {};
for (const address of pages) {
  const page = await browser.newPage(), problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/${address}`);
  const done = page.waitForFunction(() => globalThis.result?.digest || globalThis.result?.error, undefined, { timeout: 100_000 });
  await done.catch((error) => problems.push(String(error)));
  results[address] = { ...(await page.evaluate(() => globalThis.result)), problems };
  await page.close();
}
await browser.close();
server.close();
console.log(JSON.stringify(results));
