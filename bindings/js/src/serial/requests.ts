// Requests to a board, repeated when the line loses them, with bulk data in adaptive chunks.
import { ALIVE_TYPE, BYTE_TIMEOUT_MS, ERROR_TYPE, FAULTS, MESSAGES, PAYLOAD_LIMIT, REPLY_BIT, SOURCES } from "../generated/console.js";
import { DeviceLog } from "./device-log.js";
import { ChunkSizer } from "./chunk-sizing.js";
import { DeviceError, impossible, notOurs, restarted, silent, silentNow } from "./device-error.js";
import { encode, joined, Parser, type Frame } from "./frames.js";
import { Link } from "./link.js";
import { codeIn, errorOf, replyValues, requestPayload, type Message, type ReplyOf, type RequestOf } from "./messages.js";

/** Called with the number of finished bytes and their total. */
export type Progress = (done: number, total: number) => void;

/** How to watch and end the transfer of a file. */
export interface TransferOptions {
  onProgress?: Progress;
  /** Ends the transfer between two chunks; the call then throws the signal's reason. */
  signal?: AbortSignal;
}

/** What READ needs besides the source. */
export interface Place {
  program?: number;
  role?: number;
  index?: number;
}

/** The messages that carry a chunk and its offset. */
type Chunked = "IMAGE_DATA" | "CHECKPOINT_DATA" | "DATA" | "DATA_U8" | "DELTA_DATA";

/** The messages that return one part at a time. */
type InParts = "READ" | "DELTA";

/** How many attempts a request gets before a board counts as silent. */
const ATTEMPTS = 6;

/** The bytes before the data in the payload of a READ reply, and of messages with chunks. */
const READ_OVERHEAD = 4;
const OVERHEAD = { IMAGE_DATA: 4, CHECKPOINT_DATA: 4, DATA: 7, DATA_U8: 15, DELTA_DATA: 4 };

/**
 * The milliseconds without an answer after which a request is sent again. Erasing flash takes long; a board that runs a
 * program sends ALIVE frames meanwhile.
 */
const PATIENCE: Partial<Record<Message, number>> = {
  IMAGE_BEGIN: 30_000, CHECKPOINT_BEGIN: 30_000, UPDATE_BEGIN: 30_000, IMAGE_RESUME: 30_000, SAVE: 30_000,
  IMAGE_END: 10_000, UPDATE_END: 60_000, ROUND_BEGIN: 30_000, DELTA_END: 30_000, RUN: 10_000, REPLAY: 10_000, SCORE: 10_000, INFO: 700,
};
const DEFAULT_PATIENCE = 1000;

/**
 * The milliseconds to wait after something damaged arrived. For a short request, that can only have been the answer or
 * the text ahead of it, so waiting until the line is quiet suffices; for others, this is longer than the time between
 * two ALIVE frames.
 */
const PATIENCE_AFTER_DAMAGE = 1200;

/** The firmware of every board takes a payload of this size. */
const SMALLEST_FRAME_LIMIT = 64;

/** A conversation over a link, with one request at a time. A board does not repeat the work of a repeated request. */
export class Requests {
  readonly link: Link;
  /** How many times a request had to be sent again. */
  retries = 0;
  /** The last reply to INFO. */
  raw: ReplyOf<"INFO"> | undefined;
  /** The board may greet instead of answering, as it was just connected or asked to restart. */
  protected mayRestart = true;
  protected log = new DeviceLog();
  #chunks: ChunkSizer;
  #parser = new Parser();
  #sequence = Math.floor(Math.random() * 256);
  #onText: (text: string) => void;

  /** Takes over a link; sends nothing yet. onText: called with what the board prints between frames. */
  constructor(link: Link, onText: (text: string) => void = () => undefined, attempts = ATTEMPTS) {
    this.link = link;
    this.#onText = onText;
    this.#chunks = new ChunkSizer(attempts);
  }

  /** Sends one message and returns its reply's fields. Throws RuntimeFault or DeviceError with the board's code. */
  async request<M extends Message>(name: M, values: RequestOf<M>): Promise<ReplyOf<M>> {
    const frame = this.#frame(name, values);
    for (;;) {
      const reply = await this.#exchange(name, frame);
      if (reply) return this.#decoded(name, reply);
    }
  }

  /** Sends the request of one chunk once; undefined if it got lost: a smaller chunk may then do better. */
  async #try<M extends Message>(name: M, values: RequestOf<M>): Promise<ReplyOf<M> | undefined> {
    const reply = await this.#exchange(name, this.#frame(name, values));
    this.#chunks.adapt(reply !== undefined);
    return reply && this.#decoded(name, reply);
  }

  #frame<M extends Message>(name: M, values: RequestOf<M>): Frame {
    this.#sequence = (this.#sequence + 1) & 0xff;
    return { type: MESSAGES[name].id, sequence: this.#sequence, payload: requestPayload(name, values) };
  }

  /** Sends a frame once and returns its reply; undefined if the line lost one of the two. */
  async #exchange(name: Message, frame: Frame): Promise<Frame | undefined> {
    await this.link.write(encode(frame));
    const [reply, damaged] = await this.#awaitReply(name, frame);
    if (!reply) this.retries++;
    if (this.#chunks.givesUp(reply !== undefined, damaged)) throw this.#noAnswer(name);
    return reply;
  }

  /** Returns the reply to a request (undefined if it must be sent again), and whether something damaged arrived. */
  async #awaitReply(name: Message, request: Frame): Promise<[Frame | undefined, boolean]> {
    const patience = PATIENCE[name] ?? DEFAULT_PATIENCE;
    let deadline = performance.now() + patience, damaged = false, alive = "";
    for (let left; (left = deadline - performance.now()) > 0; ) {
      const data = await this.link.read(Math.min(left, BYTE_TIMEOUT_MS)), before = this.#parser.damaged;
      for (const item of data.length ? this.#parser.feed(data) : this.#parser.expire()) {
        if (item instanceof Uint8Array) damaged = this.#show(item, name) || damaged;
        else if (codeIn(item) === FAULTS.BAD_FRAME[0]) return [undefined, true];
        else if (item.sequence !== request.sequence) continue;
        else if (item.type === ALIVE_TYPE) {
          if (alive !== (alive = String(item.payload))) deadline = performance.now() + patience; // else it is stuck
        } else if ([ERROR_TYPE, request.type | REPLY_BIT].includes(item.type)) return [item, damaged];
      }
      const worse = this.#parser.damaged > before;
      damaged ||= worse;
      if (damaged && !data.length && patience <= DEFAULT_PATIENCE) break;
      if (worse) deadline = Math.min(deadline, performance.now() + PATIENCE_AFTER_DAMAGE);
    }
    return [undefined, damaged];
  }

  /** Passes text on, and returns whether it may be part of a frame whose start was damaged. */
  #show(text: Uint8Array, name: Message): boolean {
    this.log.add(text);
    this.#onText(new TextDecoder().decode(text));
    if (!this.mayRestart && this.log.greeted) {
      const { fault } = this.log;
      this.log = new DeviceLog();
      throw restarted(this.link.place, name, fault);
    }
    return text.some((byte) => byte >= REPLY_BIT); // the echo of letters beyond ASCII has such bytes too
  }

  #decoded<M extends Message>(name: M, reply: Frame): ReplyOf<M> {
    if (reply.type !== ERROR_TYPE) return replyValues(name, reply.payload);
    const code = codeIn(reply);
    throw code === undefined ? notOurs(name, reply.payload.length) : errorOf(code, `${this.link.place}: ${name}`);
  }

  #noAnswer(name: string): DeviceError {
    const { place } = this.link;
    if (this.raw) return silentNow(place, name, this.raw.board);
    return silent(place, name, this.log, this.#parser.damaged > 0);
  }

  /** Types a line as a user would, and returns what the board prints up to its next prompt. */
  async type(line: string, patience = 30_000): Promise<string> {
    let printed = "";
    await this.link.write(new TextEncoder().encode(`${line}\r`));
    for (const deadline = performance.now() + patience; !printed.endsWith("\n> "); ) {
      const data = await this.link.read(deadline - performance.now());
      if (!data.length && performance.now() >= deadline) throw this.#noAnswer(line);
      const texts = this.#parser.feed(data).filter((item) => item instanceof Uint8Array);
      printed += new TextDecoder().decode(joined(texts));
    }
    return printed.slice(0, -"> ".length);
  }

  // ---- Data in chunks -----------------------------------------------------------------------------------------------

  /** Sends the data from `start` on, in chunks that suit the line. A chunk that arrives twice does no harm. */
  protected async sendChunks<M extends Chunked>(
    name: M,
    data: Uint8Array,
    others: Omit<RequestOf<M>, "data" | "offset" | "element">,
    { onProgress, signal }: TransferOptions = {},
    start = 0,
  ): Promise<void> {
    while (start < data.length) {
      signal?.throwIfAborted();
      const chunk = data.subarray(start, start + this.#chunkSize(OVERHEAD[name]));
      const values = { ...others, offset: start, element: start, data: chunk } as unknown as RequestOf<M>;
      if (!(await this.#try(name, values))) continue;
      start += chunk.length;
      onProgress?.(start, data.length);
    }
  }

  /** Returns all bytes of a source. */
  read(source: keyof typeof SOURCES, { program = 0, role = 0, index = 0 }: Place = {}, options?: TransferOptions): Promise<Uint8Array> {
    return this.readParts("READ", { source: SOURCES[source], program, role, index }, options, source);
  }

  /** Reads all bytes in parts, by requests of one name. source: its name in messages. */
  async readParts<M extends InParts>(
    name: M,
    what: Omit<RequestOf<M>, "offset" | "length">,
    { onProgress, signal }: TransferOptions = {},
    source: string = name,
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let done = 0, total = 1; done < total; ) {
      signal?.throwIfAborted();
      const values = { ...what, offset: done, length: this.#chunkSize(READ_OVERHEAD) } as RequestOf<M>;
      const reply = (await this.#try(name, values)) as ReplyOf<InParts> | undefined;
      if (!reply) continue;
      if (parts.length && reply.total !== total) throw impossible(`${source} has ${total} bytes, and then ${reply.total}`);
      total = reply.total;
      parts.push(reply.data);
      done += reply.data.length;
      if (done < total && !reply.data.length) throw impossible(`${source} has ${total} bytes and ends at ${done}`);
      if (done > total) throw impossible(`${source} has ${total} bytes, and sends ${done}`);
      onProgress?.(done, total);
    }
    return joined(parts);
  }

  /** Returns `size` bytes of a source, from an offset on. */
  async readRange(source: keyof typeof SOURCES, offset: number, size: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let done = 0; done < size; ) {
      const length = Math.min(this.#chunkSize(READ_OVERHEAD), size - done);
      const reply = await this.#readChunk(source, offset + done, length);
      if (!reply) continue;
      if (!reply.data.length || reply.data.length > length) throw impossible(`${source} ends at ${offset + done}`);
      parts.push(reply.data);
      done += reply.data.length;
    }
    return joined(parts);
  }

  #readChunk(source: keyof typeof SOURCES, offset: number, length: number) {
    return this.#try("READ", { source: SOURCES[source], program: 0, role: 0, index: 0, offset, length });
  }

  #chunkSize(overhead: number): number {
    const limit = Math.min(this.raw?.frameLimit ?? 0, PAYLOAD_LIMIT);
    if (limit < SMALLEST_FRAME_LIMIT) throw impossible(`frames of ${limit} bytes are its longest`);
    return this.#chunks.size(limit - overhead);
  }
}
