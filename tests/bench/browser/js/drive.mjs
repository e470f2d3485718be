// node drive.mjs CHROMIUM TOOLS ROOT: opens pages of the folder ROOT in Chromium. It reads a request as a line of JSON,
// and answers with a line of JSON.
//
// {"open": "page.html?...", "as": name}   opens a page in a fresh profile, without any cache, and waits until it has
//                                         left its result in globalThis.opened; answers that, with what was loaded
// {"call": [name, "function", ...values]} calls a function of that page, and answers what it returns
// {"time": [name, steps]}                 lets the page take so many steps; answers the CPU seconds of all renderers
// {"close": name}
// {"version": true}                       answers the browser's version
//
// A request that fails is answered by {"error": text}.

import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serve } from "./server.mjs";

const [chromium, tools, root] = process.argv.slice(2);
const { chromium: browsers } = createRequire(join(tools, "any.js"))("playwright-core");
const PATIENCE = 60_000; // milliseconds

const server = await serve(root);
const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const whole = await browser.newBrowserCDPSession();
const pages = new Map();

/** Returns the CPU seconds of all renderers, in steps of 10 ms; idle pages take none. */
async function cpu() {
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

const ANSWERS = {
  version: async () => browser.version(),
  async open(address, { as }) {
    const context = await browser.newContext(), page = await context.newPage(), before = { ...server.sent };
    pages.set(as, page);
    page.on("pageerror", (error) => page.evaluate((text) => (globalThis.opened ??= { error: text }), String(error)));
    await page.goto(server.address + address);
    const opened = await page.waitForFunction(() => globalThis.opened, undefined, { timeout: PATIENCE });
    const { bytes, files } = server.sent;
    return { ...(await opened.jsonValue()), bytes: bytes - before.bytes, files: files - before.files };
  },
  async call([as, name, ...values]) {
    if (!pages.has(as)) throw new Error(`there is no page ${as}`);
    return pages.get(as).evaluate(([name, values]) => globalThis[name](...values), [name, values]);
  },
  async time([as, steps]) {
    const before = await cpu();
    await ANSWERS.call([as, "run", steps]);
    return (await cpu()) - before;
  },
  async close(as) {
    await pages.get(as)?.context().close();
    pages.delete(as);
    return null;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line), [kind] = Object.keys(request);
  const answer = await ANSWERS[kind](request[kind], request).catch((error) => ({ error: error.message }));
  console.log(JSON.stringify(answer));
}
await browser.close();
server.close();
