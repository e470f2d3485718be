// The errors for boards that are not there, or do not answer as they should.
import type { FaultName } from "../generated/console.js";
import { GradmoteError } from "../index.js";
import type { DeviceLog } from "./device-log.js";

/** What went wrong with a port or a board; beside these, the names of the faults of a board's console. */
export type DeviceErrorName =
  | FaultName
  | "NO_SERIAL" // the browser has no WebSerial, or the page is not secure
  | "NO_PORT" // none was chosen
  | "DENIED" // the page may not use serial ports
  | "TAKEN" // another program has the port
  | "LOST" // unplugged, or closed
  | "SILENT" // nobody answers
  | "OTHER_FIRMWARE" // somebody answers, in another language
  | "RESTARTED" // the board began anew
  | "BAD_IMAGE" // the bytes are no image
  | "NO_KERNELS" // the firmware lacks kernels that the image needs
  | "NO_TRAINING"; // the model does not train

/** A board, or the way to it, failed. `error` is the name of what went wrong, and `code` the board's number for it. */
export class DeviceError extends GradmoteError {
  override readonly name: string = "DeviceError";
  readonly error: DeviceErrorName;
  /** Below 0 where the board sent it, else 0. */
  readonly code: number;

  constructor(error: DeviceErrorName, text: string, hint = "", { code = 0, cause }: { code?: number; cause?: unknown } = {}) {
    super(text, hint, { cause });
    this.error = error;
    this.code = code;
  }
}

const FLASH = "gradmote flash --board NAME";
const SIGN = "sign it with that key: gradmote sign model.mote --key key.pem";

/** Returns the error for a reply that does not have the fields of this version. */
export function notOurs(request: string, size: number): DeviceError {
  const text = `the reply to ${request} has ${size} bytes, which is not what this version of gradmote expects`;
  return new DeviceError("OTHER_FIRMWARE", text, `flash the firmware of this version: ${FLASH}`);
}

/** Returns the error for a reply whose values cannot be. */
export function impossible(what: string): DeviceError {
  return new DeviceError("OTHER_FIRMWARE", `the board says ${what}, which cannot be`, `flash the firmware of this version: ${FLASH}`);
}

/** Returns the error for a connection whose other side is gone. */
export function lost(place: string, why: string, cause?: unknown): DeviceError {
  return new DeviceError("LOST", `lost the connection to ${place} (${why})`, "check cable and power, then connect again", { cause });
}

/** Returns the error for a line at which nobody has answered yet. damaged: whether bytes came that looked like frames. */
export function silent(place: string, request: string, log: DeviceLog, damaged: boolean): DeviceError {
  if (log.isText) {
    const hint = `it runs other firmware, or its firmware is damaged; give it this version's: ${FLASH}`;
    return new DeviceError("OTHER_FIRMWARE", `${place} says ${log.excerpt}, but does not answer ${request}`, hint);
  }
  if (log.isSomething || damaged) {
    const text = `${place} sends something that is neither text nor an answer to ${request}`;
    const hint = `the baud rate differs (it should be 115200), it runs other firmware, or its firmware is damaged: ${FLASH}`;
    return new DeviceError("OTHER_FIRMWARE", text, hint);
  }
  const hint = `check that this is the board's port, its power and the baud rate (115200); or give it the firmware: ${FLASH}`;
  return new DeviceError("SILENT", `no answer from ${place} to ${request}`, hint);
}

/** Returns the error for a board that had answered before, and does not any more. */
export function silentNow(place: string, request: string, board: string): DeviceError {
  const hint = `press its reset button and connect again; or flash it: gradmote flash --board ${board}`;
  return new DeviceError("SILENT", `${board} at ${place} does not answer ${request} any more`, hint);
}

/** Returns the error for a board that printed its greeting in place of an answer. fault: why, in the board's words. */
export function restarted(place: string, request: string, fault: string): DeviceError {
  const text = `the board at ${place} ${fault || "restarted by itself"}; ${request} was not answered`;
  const hint = "check its power supply; what it learnt since the last save is lost: do it again";
  return new DeviceError("RESTARTED", text, fault ? "please report it with the model" : hint);
}

/** Returns the error for a model whose arena is larger than the board's, both in bytes. */
export function tooLarge(board: string, needed: number, there: number): DeviceError {
  const text = `the model takes ${needed} B of RAM for its arena, ${board} has ${there}; it keeps the model that it has`;
  const hint = "compile for less: gradmote compile --ram, a smaller --batch, or fewer trained layers (--scheme)";
  return new DeviceError("TOO_LARGE", text, hint);
}

/** Returns the error for an image with instructions that the board's firmware was built without. */
export function lacking(board: string, opcodes: number[]): DeviceError {
  const text = `the firmware of ${board} lacks kernels that the model needs, of the opcodes ${opcodes.join(", ")}`;
  const hint = "flash firmware that has them: gradmote flash --board NAME, with this model or with --general";
  return new DeviceError("NO_KERNELS", `${text}; it keeps the model that it has`, hint);
}

/** Returns the error for an image that is not signed by the key that the board demands. found: the key that signed it. */
export function notSigned(board: string, demanded: string, found: string): DeviceError {
  const is = found ? `is signed by key ${found}` : "is not signed";
  const text = `the image ${is}, ${board} takes those of key ${demanded} alone; it keeps the model that it has`;
  return new DeviceError(found ? "OTHER_KEY" : "UNSIGNED", text, SIGN);
}
