// The messages of docs/CONSOLE.md as typed methods.
import { PROTOCOL } from "../generated/console.js";
import { ARRAYS, DTYPE, Header, PROGRAM, ROLE, SECTION, StateEntry, STORE_DTYPE, type View } from "../generated/records.js";
import { GradmoteError, RuntimeFault, type Program } from "../index.js";
import { DeviceError, impossible, lacking, notSigned, tooLarge } from "./device-error.js";
import { DeviceLog } from "./device-log.js";
import { crc32 } from "../crc32.js";
import { arenaOf, hex, keyOf, opcodesOf, requireImage, withoutSignature } from "./image.js";
import type { ReplyOf } from "./messages.js";
import { Requests, type TransferOptions } from "./requests.js";
import type { BoardInfo, BoardStore, BoardTensor, Memory, Metrics, Role, Saves, Update } from "./types.js";

const UPDATE_ATTEMPTS = 4;
const NOT_FOUND = -13;
/** The size of an image header's first fields, up to its image version. They include the image's checksum. */
const HEADER_START = 128;
/** No image has more inputs or labels than this. */
const TENSORS_LIMIT = 256;
const PROFILES = ["strict", "fused"] as const;

/** A connection to a board that runs the firmware. Make one call at a time. */
export class Client extends Requests {
  // ---- Identity -----------------------------------------------------------------------------------------------------

  /** Asks a board that may have just started for its identity. Throws DeviceError if none of this protocol answers. */
  async identify(): Promise<void> {
    await this.refresh();
    this.log = new DeviceLog();
    this.mayRestart = false;
  }

  /** Restarts the board, and asks for its identity again. */
  async restart(): Promise<void> {
    this.mayRestart = true;
    await this.request("REBOOT", {});
    await this.identify();
  }

  /** Asks the board for its identity and model. */
  async refresh(): Promise<BoardInfo> {
    const raw = await this.request("INFO", {});
    if (raw.protocol !== PROTOCOL) {
      const text = `${this.link.place} speaks version ${raw.protocol} of the protocol, this gradmote ${PROTOCOL}`;
      throw new DeviceError("OTHER_FIRMWARE", text, "flash the firmware of this version: gradmote flash --board NAME");
    }
    if (raw.imageStatus === 0 && raw.batch === 0) throw impossible("its model has a batch of 0 samples");
    this.raw = raw;
    return this.info();
  }

  /** Returns what refresh() last learned, without asking again. */
  info(): BoardInfo {
    const { board, version, profile, imageStatus, programs, modelId, uniqueId, keyId, ...raw } = this.raw!;
    const { batch, imageSize, arenaRequired, stateSize, parametersSize, gradientsSize } = raw;
    const { arenaAvailable, imageArea, checkpointArea, checkpointSize } = raw;
    return {
      name: board, version: version.join("."), profile: PROFILES[profile & 1], status: imageStatus,
      programs: PROGRAM.filter((_, kind) => (programs >> kind) & 1),
      batch, imageSize, arenaRequired, stateSize, parametersSize, gradientsSize, modelId: hex(modelId),
      arenaAvailable, imageArea, checkpointArea, checkpointSize,
      uniqueId: uniqueId ? uniqueId.toString(16).padStart(16, "0") : "", keyId: keyId.some(Boolean) ? hex(keyId) : "",
    };
  }

  async mem(): Promise<Memory> {
    return await this.request("MEM", {});
  }

  /** Returns one tensor of one program; undefined past the last one. */
  async describe(program: Program, role: Role, index: number): Promise<BoardTensor | undefined> {
    try {
      const place = { program: PROGRAM.indexOf(program), role: ROLE.indexOf(role), index };
      const { dtype, rank, lasts, size, dims, name } = await this.request("DESCRIBE", place);
      if (!DTYPE[dtype] || size % ARRAYS[dtype].BYTES_PER_ELEMENT) throw impossible(`${role} ${index} has dtype ${dtype} and ${size} bytes`);
      return { name, dtype: DTYPE[dtype], shape: dims.slice(0, rank), size, lasts: lasts !== 0 };
    } catch (error) {
      if (error instanceof RuntimeFault && error.code === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** Returns whether all trained parameters are float32, according to the image's table of the state. */
  async hasFloatParameters(): Promise<boolean> {
    const { imageSize, parametersSize } = this.info();
    const words = async (at: number, size: number) => new Uint32Array((await this.readRange("IMAGE", at, size)).buffer);
    const [table, size] = parametersSize ? await words(Header.sections + 8 * SECTION.indexOf("state"), 8) : [0, 0];
    if (table + size > imageSize || size % StateEntry.sizeof) throw impossible("its image has no table");
    const rows = await words(table, size);
    for (let row = 0; row < rows.length; row += StateEntry.sizeof / 4) {
      if (rows[row + StateEntry.role / 4]) break; // parameters come first
      if (rows[row + StateEntry.dtype / 4]) return false;
    }
    return true;
  }

  /** Returns all tensors of one program with that role. */
  async tensors(program: Program, role: Role): Promise<BoardTensor[]> {
    const found: BoardTensor[] = [];
    for (let tensor; (tensor = await this.describe(program, role, found.length)); found.push(tensor)) {
      if (found.length > TENSORS_LIMIT) throw impossible(`${program} has more than ${TENSORS_LIMIT} ${role}s`);
    }
    return found;
  }

  // ---- Files --------------------------------------------------------------------------------------------------------

  /**
   * Sends an image and opens it. Continues an interrupted transfer of the same image. If the image is refused before
   * anything is sent, the board keeps its present one.
   */
  async loadImage(given: Uint8Array, options?: TransferOptions): Promise<void> {
    const image = await this.#sendable(given), start = this.raw!.imageStatus === 0 ? 0 : await this.#received(image);
    try {
      await this.#sendImage(image, start, options);
    } catch (error) {
      if (start === 0 || !hasCode(error)) throw error;
      await this.#sendImage(image, 0, options); // the board cannot continue the old transfer
    }
    await this.refresh();
  }

  async #sendImage(image: Uint8Array, start: number, options?: TransferOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (start === 0) await this.request("IMAGE_BEGIN", { size: image.length });
    await this.sendChunks("IMAGE_DATA", image, {}, options, start);
    await this.request("IMAGE_END", {});
  }

  /** Returns whether the board has this image open. */
  async hasImage(image: Uint8Array): Promise<boolean> {
    if (this.raw!.imageStatus !== 0 || image.length < HEADER_START) return false;
    const start = await this.readRange("IMAGE", 0, HEADER_START);
    return start.every((byte, i) => byte === image[i]);
  }

  /** Sends an image beside the running one, and switches to it once it is verified. Continues an interrupted update. */
  async updateImage(given: Uint8Array, carryOver: boolean, options?: TransferOptions): Promise<Update> {
    const image = await this.#sendable(given);
    for (let left = UPDATE_ATTEMPTS; ; left--) {
      try {
        await this.#sendUpdate(image, options);
        break;
      } catch (error) { // the board saved a checkpoint of its own meanwhile
        if (!(error instanceof DeviceError && error.error === "OUT_OF_ORDER") || left === 1) throw error;
      }
    }
    const { checkpoint, carried } = await this.request("UPDATE_END", { carry: Number(carryOver) });
    await this.refresh();
    return { kept: checkpoint !== 0, carried };
  }

  async #sendUpdate(image: Uint8Array, options?: TransferOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    const start = await this.#received(image);
    if (start === 0) await this.request("UPDATE_BEGIN", { size: image.length });
    await this.sendChunks("IMAGE_DATA", image, {}, options, start);
  }

  /** Returns how many bytes of this image the board has; 0 if it has those of another image. */
  async #received(image: Uint8Array): Promise<number> {
    const { size, received, crc } = await this.request("IMAGE_RESUME", {});
    const isSame = size === image.length && received <= size && crc === crc32(image.subarray(0, received));
    return isSame ? received : 0;
  }

  /**
   * Returns the bytes to send to this board. Throws DeviceError before anything is sent if it cannot take the image.
   */
  async #sendable(image: Uint8Array): Promise<Uint8Array> {
    requireImage(image);
    const { name, arenaAvailable, keyId } = this.info(), needed = arenaOf(image);
    if (needed > arenaAvailable) throw tooLarge(name, needed, arenaAvailable);
    const missing = await this.#missing(opcodesOf(image));
    if (missing.length > 0) throw lacking(name, missing);
    if (!keyId) return withoutSignature(image);
    if (keyOf(image) !== keyId) throw notSigned(name, keyId, keyOf(image));
    return image;
  }

  /** Returns the opcodes that the firmware was built without; none if it is too old to say. */
  async #missing(opcodes: number[]): Promise<number[]> {
    try {
      const { opcodes: there } = await this.request("BUILD", {});
      return opcodes.filter((opcode) => !((there[opcode >> 3] >> (opcode & 7)) & 1));
    } catch (error) {
      if (error instanceof DeviceError && error.error === "UNKNOWN_MESSAGE") return [];
      throw error;
    }
  }

  async load(checkpoint: Uint8Array, options?: TransferOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    await this.request("CHECKPOINT_BEGIN", { size: checkpoint.length });
    await this.sendChunks("CHECKPOINT_DATA", checkpoint, {}, options);
    await this.request("CHECKPOINT_END", {});
  }

  async save(half: boolean, options?: TransferOptions): Promise<Uint8Array> {
    await this.request("SAVE", {});
    return this.read(half ? "CHECKPOINT_HALF" : "CHECKPOINT", {}, options);
  }

  async endRound(delta: Uint8Array, bits: number, seed: number): Promise<number> {
    await this.request("DELTA_BEGIN", { size: delta.length });
    await this.sendChunks("DELTA_DATA", delta, {});
    return (await this.request("DELTA_END", { bits, seed })).number;
  }

  async saves(): Promise<Saves> {
    return await this.request("SAVES", {});
  }

  // ---- Data ---------------------------------------------------------------------------------------------------------

  /** Writes a whole input or label, as the little-endian bytes of its dtype. */
  async write(role: Role, index: number, data: Uint8Array): Promise<void> {
    await this.sendChunks("DATA", data, { role: ROLE.indexOf(role), index });
  }

  /** Writes a whole tensor from one byte q per element: a float32 one becomes (q - zero) * scale, others q. */
  async writeU8(role: Role, index: number, data: Uint8Array, scale = 1, zero = 0): Promise<void> {
    await this.sendChunks("DATA_U8", data, { role: ROLE.indexOf(role), index, scale, zero });
  }

  /** Returns the values of a tensor of the last program that ran. */
  async tensor(program: Program, role: Role, index: number): Promise<View> {
    const told = await this.describe(program, role, index);
    if (!told) throw new RuntimeFault(NOT_FOUND, `${role} ${index} of ${program}`);
    const bytes = await this.read("TENSOR", { program: PROGRAM.indexOf(program), role: ROLE.indexOf(role), index });
    if (bytes.length !== told.size) throw impossible(`${role} ${index} has ${told.size} bytes, and sends ${bytes.length}`);
    return new (arrayOf(told))(bytes.buffer as ArrayBuffer);
  }

  // ---- Training -----------------------------------------------------------------------------------------------------

  async run(program: Program): Promise<Metrics> {
    return this.#metrics(await this.request("RUN", { program: PROGRAM.indexOf(program) }));
  }

  async replay(program: Program): Promise<Metrics> {
    return this.#metrics(await this.request("REPLAY", { program: PROGRAM.indexOf(program) }));
  }

  async metrics(): Promise<Metrics> {
    return this.#metrics(await this.request("METRICS", {}));
  }

  #metrics({ ticks, ...reply }: ReplyOf<"RUN">): Metrics {
    return { ...reply, seconds: Number(ticks) / this.raw!.ticksPerSecond };
  }

  // ---- The sample store ---------------------------------------------------------------------------------------------

  async store(): Promise<BoardStore> {
    const { dtype, idle, ...reply } = await this.request("STORE", {});
    return { ...reply, dtype: STORE_DTYPE[dtype] ?? STORE_DTYPE[0], idle: idle !== 0 };
  }
}

/** Returns the array class for a tensor's elements. */
export function arrayOf({ dtype }: BoardTensor): (typeof ARRAYS)[number] {
  return ARRAYS[DTYPE.indexOf(dtype)];
}

/** Returns how many elements a tensor has. */
export function elementsOf(tensor: BoardTensor): number {
  return tensor.size / arrayOf(tensor).BYTES_PER_ELEMENT;
}

function hasCode(error: unknown): boolean {
  return error instanceof GradmoteError && "code" in error && error.code !== 0;
}
