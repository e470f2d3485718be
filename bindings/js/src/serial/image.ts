// What an image reveals before it is sent.
import { FORMAT_VERSION, Header, IMAGE_MAGIC, SECTION, SIGNATURE_MAGIC, SIGNATURE_VERSION, Signature } from "../generated/records.js";
import { ERRORS } from "../index.js";
import { crc32 } from "../crc32.js";
import { DeviceError } from "./device-error.js";

const KEY_ID_SIZE = 8;

/** Returns the bytes as hex digits. */
export function hex(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a word of the header. */
function word(image: Uint8Array, at: number): number {
  return new DataView(image.buffer, image.byteOffset).getUint32(at, true);
}

/** Returns the size of the arena that the image needs, in bytes. The image must be checked. */
export function arenaOf(image: Uint8Array): number {
  return word(image, Header.arenaSize);
}

/** Returns the opcodes of the image's programs, each once. The image must be checked. */
export function opcodesOf(image: Uint8Array): number[] {
  const at = Header.sections + 8 * SECTION.indexOf("code"), end = word(image, at) + word(image, at + 4);
  const found = new Set<number>();
  for (let head, next = word(image, at); next < Math.min(end, image.length - 3); next += 4 * Math.max(1, head >>> 16)) {
    head = word(image, next);
    found.add(head & 0xffff);
  }
  return [...found];
}

/**
 * Throws DeviceError unless the bytes are a whole image of this version, so that no board gives up its model for a bad
 * file. The board verifies the rest.
 */
export function requireImage(image: Uint8Array): void {
  if (image.length < Header.sizeof || word(image, Header.magic) !== IMAGE_MAGIC) throw refused("BAD_MAGIC");
  if (word(image, Header.version) !== FORMAT_VERSION) throw refused("BAD_VERSION");
  const size = word(image, Header.size);
  if (size < Header.sizeof || image.length < size) throw refused("TRUNCATED");
  if (crc32(image.subarray(Header.modelId, size)) !== word(image, Header.crc)) throw refused("BAD_CRC");
}

function refused(name: "BAD_MAGIC" | "BAD_VERSION" | "TRUNCATED" | "BAD_CRC"): DeviceError {
  const [, text, hint] = ERRORS[name];
  return new DeviceError("BAD_IMAGE", `the image is not sent: ${text} (${name})`, hint);
}

/** Returns the image without the signature after it. */
export function withoutSignature(image: Uint8Array): Uint8Array {
  return image.subarray(0, word(image, Header.size));
}

/** Returns the id of the key that signed the image, as hex; empty if it is not signed. */
export function keyOf(image: Uint8Array): string {
  const behind = image.subarray(word(image, Header.size));
  if (behind.length < Signature.sizeof) return "";
  if (word(behind, Signature.magic) !== SIGNATURE_MAGIC || word(behind, Signature.version) !== SIGNATURE_VERSION) return "";
  return hex(behind.subarray(Signature.keyId, Signature.keyId + KEY_ID_SIZE));
}
