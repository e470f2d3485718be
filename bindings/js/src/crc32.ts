const POLYNOMIAL = 0xedb88320;

/** The remainder of each byte value. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = (byte >>> 1) ^ (byte & 1 ? POLYNOMIAL : 0);
  return byte;
});

/** Returns the CRC-32 of some bytes, as zlib computes it. */
export function crc32(data: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < data.length; i++) crc = TABLE[(crc ^ data[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
