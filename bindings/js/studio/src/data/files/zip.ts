/** The members of a zip file, located by its directory and read one at a time. */
import { inflateSync } from "fflate";

import { DataError } from "../problem";
import { bytesAt, requireReadable, requireSize, type Source } from "../source";
import { counted, named, quoted } from "../wording";

const END = 0x06054b50, END_64 = 0x06064b50, LOCATOR_64 = 0x07064b50, ENTRY = 0x02014b50, LOCAL = 0x04034b50;
const END_SIZE = 22, LONGEST_COMMENT = 0xffff, ENTRY_SIZE = 46, LOCAL_SIZE = 30, LOCATOR_SIZE = 20, END_64_SIZE = 56;
const STORED = 0, DEFLATED = 8;
const ENCRYPTED = 1;

/** A member, as the directory describes it. */
export interface Member {
  name: string;
  method: number;
  flags: number;
  crc: number;
  packed: number;
  size: number;
  /** The offset of its local header. */
  start: number;
}

/** Returns the members. Throws DataError if they are too large or two share a name, Error if the file is damaged. */
export async function membersOf(source: Source): Promise<Member[]> {
  requireReadable(source);
  const { start, size, shift } = await directoryOf(source);
  const members = entriesIn(await bytesAt(source, start, start + size), shift).filter(({ name }) => !name.endsWith("/"));
  requireSize(source.path, members.reduce((sum, member) => sum + member.size, 0), source.blob.size);
  const known = new Set<string>();
  for (const { name } of members) {
    if (known.has(name)) throw new DataError(`${named(source.path)} has two arrays called ${quoted(name)}`, "give each a name of its own");
    known.add(name);
  }
  return members;
}

/** Returns the content of a member. Throws Error if it is damaged. */
export async function contentOf(source: Source, member: Member): Promise<Uint8Array> {
  const header = viewOf(await bytesAt(source, member.start, member.start + LOCAL_SIZE));
  if (header.byteLength < LOCAL_SIZE || header.getUint32(0, true) !== LOCAL) throw new Error(`${quoted(member.name)} is not where it should be`);
  const nameAt = member.start + LOCAL_SIZE, start = nameAt + header.getUint16(26, true) + header.getUint16(28, true);
  const name = new TextDecoder().decode(await bytesAt(source, nameAt, nameAt + header.getUint16(26, true)));
  if (name !== member.name) throw new Error(`${quoted(member.name)} is called ${quoted(name)} in its own header`);
  const packed = await bytesAt(source, start, start + member.packed);
  if (packed.length < member.packed) throw new Error(`${quoted(member.name)} is cut off`);
  const content = unpacked(packed, member);
  if (content.length !== member.size || crc32(content) !== member.crc) throw new Error(`${quoted(member.name)} is damaged: its checksum is wrong`);
  return content;
}

function unpacked(packed: Uint8Array, { name, method, flags, size }: Member): Uint8Array {
  if (flags & ENCRYPTED) throw new Error(`${quoted(name)} is encrypted`);
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new Error(`${quoted(name)} is packed in a way that is not known (${method})`);
  return inflateSync(packed, { out: new Uint8Array(size) });
}

// ---- The directory ------------------------------------------------------------------------------------------------

/** The position and size of the directory, in bytes. `shift`: add it to all of the directory's offsets. */
interface Directory {
  start: number;
  size: number;
  shift: number;
}

async function directoryOf(source: Source): Promise<Directory> {
  const { size: fileSize } = source.blob, from = Math.max(0, fileSize - END_SIZE - LONGEST_COMMENT);
  const tail = viewOf(await bytesAt(source, from, fileSize));
  let at = tail.byteLength - END_SIZE;
  while (at >= 0 && tail.getUint32(at, true) !== END) at--;
  if (at < 0) throw new Error("it is not a zip file, or it is cut off");
  const isWide = at >= LOCATOR_SIZE && tail.getUint32(at - LOCATOR_SIZE, true) === LOCATOR_64;
  const wide = isWide ? await wideDirectory(source, from + at - LOCATOR_SIZE - END_64_SIZE) : undefined;
  const { claimed, size, end } = wide ?? { claimed: tail.getUint32(at + 16, true), size: tail.getUint32(at + 12, true), end: from + at };
  if (end - size < claimed) throw new Error("its directory is not where it should be");
  return { start: end - size, size, shift: end - size - claimed };
}

async function wideDirectory(source: Source, at: number): Promise<{ claimed: number; size: number; end: number }> {
  const view = viewOf(await bytesAt(source, Math.max(0, at), at + END_64_SIZE));
  if (view.byteLength < END_64_SIZE || view.getUint32(0, true) !== END_64) throw new Error("its directory is damaged");
  return { claimed: whole(view, 48), size: whole(view, 40), end: at };
}

function entriesIn(bytes: Uint8Array, shift: number): Member[] {
  const view = viewOf(bytes), members: Member[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + ENTRY_SIZE > bytes.length || view.getUint32(at, true) !== ENTRY) throw new Error("its directory is damaged");
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
    const next = at + ENTRY_SIZE + name + extra + comment;
    if (next > bytes.length) throw new Error("its directory is cut off");
    const member = entryAt(view, at, name, extra);
    members.push({ ...member, start: member.start + shift });
    at = next;
  }
  return members;
}

function entryAt(view: DataView, at: number, nameLength: number, extraLength: number): Member {
  const word = (offset: number) => view.getUint32(at + offset, true);
  const nameAt = at + ENTRY_SIZE, bytes = new Uint8Array(view.buffer, view.byteOffset + nameAt, nameLength);
  const member = {
    name: new TextDecoder().decode(bytes),
    method: view.getUint16(at + 10, true),
    flags: view.getUint16(at + 8, true),
    crc: word(16),
    packed: word(20),
    size: word(24),
    start: word(42),
  };
  return widened(member, view, nameAt + nameLength, nameAt + nameLength + extraLength);
}

/** Returns the member; 32-bit fields that are all ones get their 64-bit values from the entry's extra field. */
function widened(member: Member, view: DataView, at: number, end: number): Member {
  for (; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let from = at + 4;
    for (const field of ["size", "packed", "start"] as const) {
      if (member[field] !== 0xffffffff || from + 8 > end) continue;
      member[field] = whole(view, from);
      from += 8;
    }
  }
  return member;
}

function whole(view: DataView, at: number): number {
  const found = Number(view.getBigUint64(at, true));
  if (Number.isSafeInteger(found)) return found;
  throw new Error(`its directory claims ${counted(found)} bytes`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

// ---- Checksums ----------------------------------------------------------------------------------------------------

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** Returns the CRC-32 of bytes, as zip and PNG compute it. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}
