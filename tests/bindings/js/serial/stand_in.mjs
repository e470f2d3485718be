// The other end of a line, which answers what a test wants.

/** Returns a transport. answer(request, send) is called with what is written, and may send bytes, at once or later. */
export function standIn(answer) {
  let line;
  const readable = new ReadableStream({ start: (controller) => (line = controller) });
  const send = (bytes) => readable.locked && line.enqueue(Uint8Array.from(bytes));
  const writable = new WritableStream({ write: (bytes) => void answer(bytes, send) });
  return { readable, writable, send, lose: (reason) => line.error(reason) };
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = (byte >>> 1) ^ (byte & 1 ? 0xedb88320 : 0);
  return byte;
});

/** Returns the bytes of a frame, as docs/CONSOLE.md describes it. */
export function frame(type, sequence, payload) {
  const body = [type, sequence, payload.length & 0xff, payload.length >> 8, ...payload];
  let crc = -1;
  for (const byte of body) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return [1, ...body, ...[0, 8, 16, 24].map((shift) => (~crc >>> shift) & 0xff)];
}

/** Returns the payload of a reply to INFO: fields that fit each other, and others from `changes` by offset. */
export function info(changes = {}) {
  const view = new DataView(new ArrayBuffer(105));
  view.setUint16(0, 1, true); // protocol
  view.setUint16(2, 256, true); // frame_limit
  for (const [at, value] of [[8, 1], [12, 1e6], [20, 1000], [24, 0b11111], [28, 4], [32, 5000], [64, 100_000]]) view.setUint32(at, value, true);
  new Uint8Array(view.buffer).set(new TextEncoder().encode("board"), 100);
  for (const [at, bytes] of Object.entries(changes)) new Uint8Array(view.buffer).set(bytes, Number(at));
  return [...new Uint8Array(view.buffer)];
}
