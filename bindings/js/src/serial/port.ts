// Serial ports of the browser (WebSerial), and the errors on the way to one.
import { DeviceError } from "./device-error.js";
import type { Transport } from "./link.js";

/** The part of a SerialPort that is used. */
export interface SerialPortLike extends Transport {
  open(options: { baudRate: number; bufferSize?: number }): Promise<void>;
  close(): Promise<void>;
  setSignals?(signals: { dataTerminalReady: boolean; requestToSend: boolean }): Promise<void>;
  getInfo?(): { usbVendorId?: number; usbProductId?: number };
}

/** The ports that the user may choose from: those of boards with these ids. */
export interface PortFilter {
  usbVendorId?: number;
  usbProductId?: number;
}

/** The part of navigator.serial that is used. */
interface Serial {
  requestPort(options?: { filters?: readonly PortFilter[] }): Promise<SerialPortLike>;
  getPorts(): Promise<SerialPortLike[]>;
}

/** Bytes that the browser buffers until they are read; its own default is less than a frame. */
const BUFFER_SIZE = 8192;

/** Returns whether this browser and this page have serial ports. */
export function hasSerial(): boolean {
  return Boolean((globalThis.navigator as { serial?: Serial } | undefined)?.serial);
}

function serial(): Serial {
  if (hasSerial()) return (navigator as unknown as { serial: Serial }).serial;
  if (globalThis.isSecureContext === false) {
    throw new DeviceError("NO_SERIAL", "there is no WebSerial, as this page is not secure", "open it over https, or at localhost");
  }
  throw new DeviceError("NO_SERIAL", "this browser has no WebSerial", "use Chrome, Edge or Opera on a computer");
}

/** Lets the user choose a port. Call it from a click or key handler. */
export async function requestPort(filters: readonly PortFilter[] = []): Promise<SerialPortLike> {
  try {
    return await serial().requestPort({ filters });
  } catch (error) {
    throw refusal(error);
  }
}

/** Returns the ports that the user chose in this page before. */
export async function grantedPorts(): Promise<SerialPortLike[]> {
  return hasSerial() ? serial().getPorts() : [];
}

/** Opens a port, unless it is open. */
export async function openPort(port: SerialPortLike, baudRate: number): Promise<void> {
  if (port.readable) return;
  try {
    await port.open({ baudRate, bufferSize: BUFFER_SIZE });
  } catch (error) {
    throw cannotOpen(error);
  }
  await port.setSignals?.({ dataTerminalReady: true, requestToSend: true }).catch(() => undefined); // not all ports have them
}

/** Returns whether two ports may belong to the same board. */
export function isAlike(one: SerialPortLike, other: SerialPortLike): boolean {
  const [a, b] = [one.getInfo?.(), other.getInfo?.()];
  return one === other || (a?.usbVendorId === b?.usbVendorId && a?.usbProductId === b?.usbProductId);
}

function refusal(error: unknown): unknown {
  if (error instanceof DeviceError) return error;
  const { name, message } = error as DOMException;
  if (name === "NotFoundError") {
    return new DeviceError("NO_PORT", "no port was chosen", "plug the board in and choose its port", { cause: error });
  }
  return ["SecurityError", "NotAllowedError"].includes(name) ? denied(message, error) : cannotOpen(error);
}

function denied(message: string, cause: unknown): DeviceError {
  const hint = 'ask for it in a click; allow serial ports for this site, and for a frame by allow="serial"';
  return new DeviceError("DENIED", `this page may not use serial ports (${message})`, hint, { cause });
}

function cannotOpen(cause: unknown): DeviceError {
  const { name, message } = cause as DOMException;
  if (name === "SecurityError" || name === "NotAllowedError") return denied(message, cause);
  if (name === "InvalidStateError") {
    return new DeviceError("TAKEN", `another part of this page uses the port (${message})`, "close that one first", { cause });
  }
  const hint = "close what uses it: a serial monitor, gradmote console, another page; on Linux: sudo usermod -aG dialout $USER";
  return new DeviceError("TAKEN", `the port cannot be opened (${message})`, hint, { cause });
}
