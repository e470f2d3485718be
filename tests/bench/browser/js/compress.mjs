// node compress.mjs FILE...: writes FILE.br beside each file, as a server keeps it. Prints the sizes of both as JSON.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

/** Returns the bytes of a file as it is, and under brotli. */
function compressed(path) {
  const short = `${path}.br`;
  if (!existsSync(short) || statSync(short).mtimeMs < statSync(path).mtimeMs) {
    writeFileSync(short, brotliCompressSync(readFileSync(path)));
  }
  return [statSync(path).size, statSync(short).size];
}

console.log(JSON.stringify(Object.fromEntries(process.argv.slice(2).map((path) => [path, compressed(path)]))));
