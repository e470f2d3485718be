// A file server that sends FILE.br if there is one, and counts the bytes that it sent.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Starts the server of a folder. Returns its address, its counters, and what ends it. */
export async function serve(root) {
  const sent = { bytes: 0, files: 0 };
  const server = createServer(async ({ url, headers }, response) => {
    const path = join(root, decodeURIComponent(new URL(url, "http://here").pathname));
    const [data, encoding] = await find(path, headers["accept-encoding"] ?? "");
    sent.bytes += data?.length ?? 0;
    sent.files += data ? 1 : 0;
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    response.writeHead(data ? 200 : 404, { "content-type": type, ...encoding }).end(data);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { address: `http://127.0.0.1:${server.address().port}/`, sent, close: () => server.close() };
}

async function find(path, accepted) {
  const short = /\bbr\b/.test(accepted) && (await readFile(`${path}.br`).catch(() => undefined));
  if (short) return [short, { "content-encoding": "br" }];
  return [await readFile(path).catch(() => undefined), {}];
}
