// The errors for boards that are missing or do not answer as they should.
import type { FaultName } from "../generated/console.js";
import { GradmoteError } from "../index.js";
import type { DeviceLog } from "./device-log.js";

/** What went wrong with a port or a board. The names of a board's console faults are among them. */
export type DeviceErrorName =
  | FaultName
  | "NO_SERIAL" // the browser has no WebSerial, or the page is not secure
  | "NO_PORT" // the user chose none
  | "DENIED" // the page may not use serial ports
  | "TAKEN" // another program has the port
  | "LOST" // unplugged, or closed
  | "SILENT" // nothing answers
  | "OTHER_FIRMWARE" // something answers, but not in this protocol
  | "RESTARTED" // the board restarted
  | "BAD_IMAGE" // the bytes are not an image
  | "NO_KERNELS" // the firmware lacks kernels that the image needs
  | "NO_TRAINING"; // the model does not train

/** A board, or the connection to it, failed. `error` names the failure, and `code` is the board's number for it. */
export class DeviceError extends GradmoteError {
  override readonly name: string = "DeviceError";
  readonly error: DeviceErrorName;
  /** Below 0 if the board sent it, else 0. */
  readonly code: number;

  constructor(error: DeviceErrorName, text: string, hint = "", { code = 0, cause }: { code?: number; cause?: unknown } = {}) {
    super(text, hint, { cause });
    this.error = error;
    this.code = code;
  }
}

const FLASH = "gradmote flash --board NAME";
const SIGN = "sign it with that key: gradmote sign model.mote --key key.pem";

/** Returns the error for a reply without the fields of this version. */
export function notOurs(request: string, size: number): DeviceError {
  const text = `the reply to ${request} has ${size} bytes, which is not what this version of gradmote expects`;
  return new DeviceError("OTHER_FIRMWARE", text, `flash the firmware of this version: ${FLASH}`);
}

/** Returns the error for a reply with impossible values. */
export function impossible(what: string): DeviceError {
  return new DeviceError("OTHER_FIRMWARE", `the board says ${what}, which cannot be`, `flash the firmware of this version: ${FLASH}`);
}

/** Returns the error for a connection whose other side is gone. */
export function lost(place: string, why: string, cause?: unknown): DeviceError {
  return new DeviceError("LOST", `lost the connection to ${place} (${why})`, "check cable and power, then connect again", { cause });
}

/** Returns the error for a line that has been silent so far. damaged: whether bytes arrived that looked like frames. */
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

/** Returns the error for a board that has answered before, and no longer does. */
export function silentNow(place: string, request: string, board: string): DeviceError {
  const hint = `press its reset button and connect again; or flash it: gradmote flash --board ${board}`;
  return new DeviceError("SILENT", `${board} at ${place} does not answer ${request} any more`, hint);
}

/** Returns the error for a board that printed its greeting instead of an answer. fault: why, in the board's words. */
export function restarted(place: string, request: string, fault: string): DeviceError {
  const text = `the board at ${place} ${fault || "restarted by itself"}; ${request} was not answered`;
  const hint = "check its power supply; what it learned since the last save is lost: do it again";
  return new DeviceError("RESTARTED", text, fault ? "please report it with the model" : hint);
}

/** Returns the error for a model whose arena is larger than the board's; both sizes are in bytes. */
export function tooLarge(board: string, needed: number, there: number): DeviceError {
  const text = `the model takes ${needed} B of RAM for its arena, ${board} has ${there}; it keeps the model that it has`;
  const hint = "compile for less: gradmote compile --ram, a smaller --batch, or fewer trained layers (--scheme)";
  return new DeviceError("TOO_LARGE", text, hint);
}

/** Returns the error for an image that needs instructions missing from the board's firmware. */
export function lacking(board: string, opcodes: number[]): DeviceError {
  const text = `the firmware of ${board} lacks kernels that the model needs, of the opcodes ${opcodes.join(", ")}`;
  const hint = "flash firmware that has them: gradmote flash --board NAME, with this model or with --general";
  return new DeviceError("NO_KERNELS", `${text}; it keeps the model that it has`, hint);
}

/** Returns the error for an image without a signature by the demanded key. found: the key that signed it. */
export function notSigned(board: string, demanded: string, found: string): DeviceError {
  const is = found ? `is signed by key ${found}` : "is not signed";
  const text = `the image ${is}, ${board} only takes those of key ${demanded}; it keeps the model that it has`;
  return new DeviceError(found ? "OTHER_KEY" : "UNSIGNED", text, SIGN);
}
