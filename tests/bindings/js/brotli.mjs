// node brotli.mjs FILE: prints how many bytes a file takes under brotli.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
console.log(brotliCompressSync(readFileSync(process.argv[2])).length);
