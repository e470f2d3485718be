/** Checks that a PNG or JPEG file is complete, and reads what it claims, before a browser decodes it. */
import { crc32 } from "../files/zip";
import { counted } from "../wording";

/** The most pixels in a picture. */
const PIXELS = 2 ** 26;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** PNG's colour types without colours. */
const GRAY_KINDS = [0, 4];
const END_OF_IMAGE = 0xd9, START_OF_SCAN = 0xda;
/** Markers that no length follows. */
const BARE = [0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8];

export interface Claims {
  width: number;
  height: number;
  /** Whether the file has colours. A palette counts as colours. */
  colours: boolean;
  type: "image/png" | "image/jpeg";
}

/** Returns what the file claims. Throws Error if it is neither PNG nor JPEG, damaged, cut off or too large. */
export function claimsOf(bytes: Uint8Array): Claims {
  const isPng = PNG.every((byte, index) => bytes[index] === byte), isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  if (!isPng && !isJpeg) throw new Error("it is neither a PNG nor a JPEG file");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const claims = isPng ? pngClaims(bytes, view) : jpegClaims(bytes, view), { width, height } = claims;
  if (width * height > PIXELS) throw new Error(`it claims ${counted(width)} x ${counted(height)} pixels, and at most ${counted(PIXELS)} are read`);
  if (!width || !height) throw new Error("it has no pixels");
  return claims;
}

function pngClaims(bytes: Uint8Array, view: DataView): Claims {
  let claims: Claims | undefined, hasData = false;
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at), kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8)), end = at + 12 + length;
    if (end > bytes.length) break;
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== view.getUint32(end - 4)) throw new Error(`the checksum of its chunk ${JSON.stringify(kind)} is wrong`);
    if (at === PNG.length && (kind !== "IHDR" || length !== 13)) throw new Error("it does not begin with a header");
    claims ??= { width: view.getUint32(at + 8), height: view.getUint32(at + 12), colours: !GRAY_KINDS.includes(bytes[at + 17]), type: "image/png" };
    hasData ||= kind === "IDAT";
    if (kind === "IEND" && hasData) return claims;
    at = end;
  }
  throw new Error("it is cut off");
}

function jpegClaims(bytes: Uint8Array, view: DataView): Claims {
  let claims: Claims | undefined, hasScan = false;
  for (let at = 2; at + 2 <= bytes.length; ) {
    if (bytes[at] !== 0xff) throw new Error("its markers are damaged");
    const marker = bytes[at + 1];
    if (marker === END_OF_IMAGE && claims && hasScan) return claims;
    if (marker === 0xff || BARE.includes(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (at + 4 > bytes.length) break;
    const length = view.getUint16(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) break;
    if (isFrame(marker) && length >= 8) {
      claims = { width: view.getUint16(at + 7), height: view.getUint16(at + 5), colours: bytes[at + 9] > 1, type: "image/jpeg" };
    }
    hasScan ||= marker === START_OF_SCAN;
    at = marker === START_OF_SCAN ? scanEnd(bytes, at + 2 + length) : at + 2 + length;
  }
  throw new Error("it is cut off");
}

/** Returns whether a marker begins a frame, which gives the size. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Returns the offset of the next marker after a scan. Within a scan, 0xff is followed by 0 or by a restart. */
function scanEnd(bytes: Uint8Array, at: number): number {
  for (; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1];
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return at + 2;
}
