import { joined } from "./frames.js";
import { DeviceError, lost } from "./device-error.js";

/**
 * The connection to a board: a pair of byte streams, such as an open SerialPort. If the stream fails and the transport
 * has a new `readable`, reading continues from that one.
 */
export interface Transport {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  close?(): unknown;
}

const WRITE_MS = 30_000;
/** The most bytes that wait to be read; earlier ones are dropped, as by a UART. */
const WAITING_LIMIT = 1 << 16;

/** A transport that can wait for bytes with a time-out. */
export class Link {
  /** Its name in messages. */
  readonly place: string;
  /** Resolves when the connection ends: with the reason, or with null if close() ended it. */
  readonly closed: Promise<DeviceError | null>;
  #transport: Transport;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #waiting: Uint8Array[] = [];
  #size = 0; // bytes that arrived since the last read
  #wake: () => void = () => undefined;
  #ended: DeviceError | undefined;
  #pumped: Promise<void>;
  #end!: (reason: DeviceError | null) => void;

  /** Takes over an open transport. Throws DeviceError if it is not open, or in use. */
  constructor(transport: Transport, place: string) {
    this.place = place;
    this.#transport = transport;
    const { readable, writable } = transport;
    if (!readable || !writable) throw lost(place, "the port is not open");
    if (readable.locked || writable.locked) {
      throw new DeviceError("TAKEN", `${place} is in use by another part of this page`, "close that one first");
    }
    this.closed = new Promise((end) => (this.#end = end));
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(() => undefined); // write() reports it
    this.#pumped = this.#pump(readable);
  }

  /** Returns the bytes that arrived, as soon as there are any; none after `milliseconds`. */
  async read(milliseconds: number): Promise<Uint8Array> {
    if (!this.#waiting.length && !this.#ended) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, milliseconds));
        this.#wake = () => (clearTimeout(timer), resolve());
      });
    }
    if (!this.#waiting.length && this.#ended) throw this.#ended;
    return this.#taken();
  }

  /** Sends all of `data`. */
  async write(data: Uint8Array): Promise<void> {
    if (this.#ended) throw this.#ended;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stuck = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error("it takes no bytes")), WRITE_MS)));
    try {
      await Promise.race([this.#writer.write(data), stuck]);
    } catch (cause) {
      throw (this.#ended ??= lost(this.place, wordsOf(cause), cause));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connection. Closing twice does no harm. */
  async close(): Promise<void> {
    this.#stop(null);
    await settled(this.#reader?.cancel());
    await settled(this.#pumped);
    await settled(this.#writer.abort());
    this.#writer.releaseLock();
    await settled(Promise.resolve(this.#transport.close?.()));
  }

  /** Keeps incoming bytes until they are read. */
  async #pump(first: ReadableStream<Uint8Array>): Promise<void> {
    let why: unknown = "the other side closed it";
    for (let stream: typeof first | null = first; stream && !this.#ended; ) {
      const reader = (this.#reader = stream.getReader());
      try {
        for (let next; !(next = await reader.read()).done; ) this.#arrived(next.value);
      } catch (error) {
        why = error;
      }
      reader.releaseLock();
      const { readable }: Transport = this.#transport; // a garbled byte makes the port open a new stream
      stream = readable === stream ? null : readable;
      if (stream) await new Promise((resume) => setTimeout(resume));
    }
    this.#stop(lost(this.place, wordsOf(why), why));
  }

  #arrived(data: Uint8Array): void {
    this.#waiting.push(data);
    this.#size += data.length;
    if (this.#size > WAITING_LIMIT) this.#waiting = [this.#taken().slice(-WAITING_LIMIT / 2)];
    this.#wake();
  }

  #taken(): Uint8Array {
    this.#size = 0;
    return joined(this.#waiting.splice(0));
  }

  #stop(reason: DeviceError | null): void {
    this.#ended ??= reason ?? lost(this.place, "it was closed here");
    this.#end(reason);
    this.#wake();
  }
}

/** Waits up to half a second for a promise to settle, and ignores its result. */
async function settled(work: Promise<unknown> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, 500)));
  await Promise.race([work, patience]).catch(() => undefined);
  clearTimeout(timer);
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error || cause instanceof DOMException ? cause.message : String(cause);
}
