/** The first 32 bits of the fractional parts of the first 64 primes' cube roots and square roots (FIPS 180-4). */
const CUBES: number[] = [];
const SQUARES: number[] = [];
for (let n = 2; CUBES.length < 64; n++) {
  if (Array.from({ length: n - 2 }, (_, i) => n % (i + 2)).every(Boolean)) {
    CUBES.push(fraction(Math.cbrt(n)));
    if (SQUARES.length < 8) SQUARES.push(fraction(Math.sqrt(n)));
  }
}

function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

/** Returns the SHA-256 of some bytes in hex. crypto.subtle is asynchronous, and only secure pages have it. */
export function sha256(data: Uint8Array): string {
  const size = Math.ceil((data.length + 9) / 64) * 64, padded = new DataView(new ArrayBuffer(size));
  new Uint8Array(padded.buffer).set(data);
  padded.setUint8(data.length, 0x80);
  padded.setBigUint64(size - 8, 8n * BigInt(data.length));
  const state = Int32Array.from(SQUARES), words = new Int32Array(64);
  for (let at = 0; at < size; at += 64) compress(state, words, padded, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function compress(state: Int32Array, words: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15], y = words[i - 2];
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3), s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  let work = [...state];
  for (let i = 0; i < 64; i++) {
    const [a, b, c, d, e, f, g, h] = work;
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + CUBES[i] + words[i]) | 0;
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    work = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  work.forEach((word, i) => (state[i] += word));
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << -by); // a shift takes its count modulo 32
}
