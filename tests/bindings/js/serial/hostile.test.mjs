// A hostile other end: each call ends in a value or in a GradmoteError, whatever bytes come.
import { runAt } from "./clock.mjs";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
runAt(100);
const { Board, GradmoteError } = await import("gradmote/serial");
const { numbers } = await import("./noise.mjs");
const { frame, info, standIn } = await import("./stand_in.mjs");

const IMAGE = new Uint8Array(readFileSync("data/serial/image"));
const ROUNDS = Number(process.env.GRADMOTE_HOSTILE_ROUNDS ?? 150);
const MINUTES = 60_000;

/** Fails if a call takes longer than any board may, or ends in anything but a value or an error of ours. */
async function settles(call, what) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`${what} hangs`)), 20 * MINUTES).unref());
  try {
    return await Promise.race([call(), late]);
  } catch (error) {
    assert.ok(error instanceof GradmoteError, `${what}: ${error.stack}`);
    return error;
  }
}

const CALLS = {
  refresh: (board) => board.refresh(), mem: (board) => board.mem(), describe: (board) => board.describe("infer", "input", 0),
  tensors: (board) => board.tensors("step", "label"), loadImage: (board) => board.loadImage(IMAGE),
  updateImage: (board) => board.updateImage(IMAGE), image: (board) => board.image(), write: (board) => board.write("input", 0, new Float32Array(64)),
  writeU8: (board) => board.writeU8("label", 0, new Uint8Array(300)), input: (board) => board.input(0), output: (board) => board.output(0, "step"),
  infer: (board) => board.infer(), step: (board) => board.step(new Float32Array(64), [1, 2]), evalStep: (board) => board.evalStep(),
  run: (board) => board.run("step"), metrics: (board) => board.metrics(), store: (board) => board.store(), storeClass: (board) => board.storeClass(1),
  learn: (board) => board.learn(1, new Float32Array(16)), forget: (board) => board.forget(2), replay: (board) => board.replay(), score: (board) => board.score(3),
  parameters: (board) => board.parameters(), gradient: (board) => board.gradient(0), state: (board) => board.state(), save: (board) => board.save(),
  load: (board) => board.load(new Uint8Array(1000)), saves: (board) => board.saves(), reset: (board) => board.reset(), type: (board) => board.type("info"),
  reboot: (board) => board.reboot(), setLinearSchedule: (board) => board.setLinearSchedule(0.1, 1, 2),
  train: (board) => board.train({ x: new Float32Array(640), y: new Int32Array(20), epochs: 2 }),
  evaluate: (board) => board.evaluate({ x: new Float32Array(640), y: new Int32Array(20) }), predict: (board) => board.predict({ x: new Uint8Array(640) }),
};

/** Runs so many rounds, some of them side by side. */
async function rounds(round) {
  const left = [...Array(ROUNDS).keys()];
  await Promise.all(Array.from({ length: 50 }, async () => {
    while (left.length) await round(left.shift());
  }));
}

/** Returns random bytes, sometimes of extreme fields. */
function bytes(random, count) {
  const extreme = random() < 0.3 ? [0, 1, 0x7f, 0x80, 0xff][Math.floor(random() * 5)] : undefined;
  return Array.from({ length: count }, () => (extreme !== undefined && random() < 0.8 ? extreme : Math.floor(random() * 256)));
}

/** What the other end may do with a request, the politest first. */
const MANNERS = [
  (random, type, sequence) => frame(type | 0x80, sequence, type === 1 ? info() : bytes(random, [0, 4, 5, 8, 32, 40][Math.floor(random() * 6)])),
  (random, type, sequence) => frame(type | 0x80, sequence, bytes(random, Math.floor(random() * 1025))),
  (random, type, sequence) => frame(0xfe, sequence, bytes(random, random() < 0.5 ? 4 : Math.floor(random() * 1025))),
  (random, type, sequence) => frame(0xff, sequence, bytes(random, random() < 0.5 ? 4 : Math.floor(random() * 9))),
  (random, type, sequence) => frame(0xff, sequence, [256 - Math.floor(random() * 130), 255, 255, 255]),
  (random) => frame(...bytes(random, 2), bytes(random, Math.floor(random() * 64))),
  (random, type, sequence) => frame(type | 0x80, sequence, bytes(random, 40)).slice(0, Math.floor(random() * 50)),
  (random) => bytes(random, Math.floor(random() * 3000)),
  () => [...new TextEncoder().encode("\r\ntype help for the commands\r\n> ")],
  () => [],
];

/** Returns an other end that answers INFO well at first, and then anything, mostly in a few ways. */
function rogue(seed) {
  const random = numbers(seed), chosen = Array.from({ length: 3 }, () => MANNERS[Math.floor(random() * MANNERS.length)]);
  let requests = 0;
  return standIn((request, send) => {
    const [, type, sequence] = request;
    if (requests++ === 0) return send(frame(0x81, sequence, info()));
    for (let i = Math.floor(random() * 3); i >= 0; i--) send(chosen[Math.floor(random() * 3)](random, type, sequence));
  });
}

test("drawn answers", async () => {
  const names = Object.keys(CALLS);
  await rounds(async (seed) => {
    const board = await Board.open(rogue(seed), { place: "a rogue", attempts: 2 }), name = names[seed % names.length];
    await settles(() => CALLS[name](board), `${name}, seed ${seed}`);
    await board.close();
  });
});

test("drawn descriptions", async () => {
  await rounds(async (seed) => {
    const random = numbers(seed + 1e6), field = [0, 2, 8, 12, 20, 24, 28, 32, 64, 100][seed % 10];
    const payload = seed % 3 ? info({ [field]: bytes(random, 4) }) : bytes(random, 101 + Math.floor(random() * 40));
    const polite = standIn(([, type, sequence], send) => send(frame(type | 0x80, sequence, type === 1 ? payload : bytes(random, 40))));
    const found = await settles(() => Board.open(polite, { attempts: 2 }), `INFO, seed ${seed}`);
    if (!(found instanceof Board)) return;
    for (const name of ["train", "loadImage", "state", "evaluate"]) await settles(() => CALLS[name](found), `${name}, seed ${seed}`);
    await found.close();
  });
});

test("bytes without an end", async () => {
  for (const stream of [[1], [0xff], [0x41], [1, 0x81, 7, 0, 4], [1, 0x81, 7, 4, 0], frame(0xfe, 7, [1, 2, 3, 4])]) {
    let flood;
    const line = standIn((_, send) => (flood ??= setInterval(() => send(Array(50).fill(stream).flat()), 1)));
    const error = await settles(() => Board.open(line, { attempts: 2 }), `a flood of ${stream}`);
    clearInterval(flood);
    assert.equal(error.name, "DeviceError", String(error));
  }
});

test("signs of life that tell of no work end", async () => {
  let timer;
  const line = standIn(([, type, sequence], send) => {
    if (type === 1) return send(frame(0x81, sequence, info()));
    timer ??= setInterval(() => send(frame(0xfe, sequence, [1, 0, 0, 0])), 2);
  });
  const board = await Board.open(line, { attempts: 1 });
  const error = await settles(() => board.run("step"), "a run without an end");
  clearInterval(timer);
  assert.equal(error.error, "SILENT");
});

// ---- Who is there ---------------------------------------------------------------------------------------------------

const text = (words) => [...new TextEncoder().encode(words)];

async function whoIsThere(answer) {
  const error = await settles(() => Board.open(standIn(answer), { place: "the port", attempts: 2 }), "open");
  return [error.error, error.text];
}

test("errors tell who is there", async () => {
  assert.deepEqual(await whoIsThere(() => undefined), ["SILENT", "no answer from the port to INFO"]);
  assert.deepEqual(await whoIsThere((_, send) => send(text("Hello from Arduino\r\n"))),
    ["OTHER_FIRMWARE", "the port says 'Hello from Arduino', but does not answer INFO"]);
  const garbled = (request, send) => send(request.map((byte) => 0x80 | ((byte * 37) & 0x7f)));
  assert.deepEqual(await whoIsThere(garbled), ["OTHER_FIRMWARE", "the port sends something that is neither text nor an answer to INFO"]);
  const newer = ([, , sequence], send) => send(frame(0x81, sequence, info({ 0: [2, 0] })));
  assert.deepEqual(await whoIsThere(newer), ["OTHER_FIRMWARE", "the port speaks version 2 of the protocol, this gradmote 1"]);
});

test("a board that restarts by itself is told", async () => {
  let greeting = "\r\ngradmote 0.1.0\r\nrestarted after a fault: status 00000002, pc 00001234\r\ntype help for the commands\r\n> ";
  const board = await Board.open(standIn(([, type, sequence], send) => send(type === 1 ? frame(0x81, sequence, info()) : text(greeting))));
  const error = await settles(() => board.run("step"), "run");
  assert.equal(error.error, "RESTARTED");
  assert.match(error.text, /restarted after a fault: status 00000002, pc 00001234; RUN was not answered/);
});

test("a lost line ends every call", async () => {
  const line = standIn(([, type, sequence], send) => type === 1 && send(frame(0x81, sequence, info())));
  const board = await Board.open(line, { place: "the port" });
  const calls = [board.run("step"), board.save(), board.infer()].map((call) => settles(() => call, "a call"));
  setTimeout(() => line.lose(new DOMException("The device has been lost.", "NetworkError")), 500);
  for (const error of await Promise.all(calls)) {
    assert.equal(error.text, "lost the connection to the port (The device has been lost.)");
    assert.equal(error.error, "LOST");
  }
  assert.equal((await board.closed).error, "LOST");
  await board.close();
});

test("a line that reports an error goes on with its next stream", async () => {
  const lines = [];
  const answer = ([, type, sequence]) => {
    const bytes = frame(type | 0x80, sequence, type === 1 ? info() : new Uint8Array(32));
    if (type === 1 || port.readable !== first) return lines.at(-1).enqueue(Uint8Array.from(bytes));
    lines.at(-1).error(new DOMException("A framing error.", "FramingError"));
    port.readable = opened();
  };
  const opened = () => new ReadableStream({ start: (controller) => void lines.push(controller) });
  const first = opened(), port = { readable: first, writable: new WritableStream({ write: answer }) };
  const board = await Board.open(port);
  assert.equal((await board.mem()).ram, 0);
  assert.equal(board.retries, 1);
  await board.close();
});

test("calls take turns", async () => {
  let under_way = 0, most = 0;
  const board = await Board.open(standIn(async ([, type, sequence], send) => {
    most = Math.max(most, ++under_way);
    await new Promise((resume) => setTimeout(resume, 100));
    under_way--;
    send(frame(type | 0x80, sequence, type === 1 ? info() : new Uint8Array(32)));
  }));
  await Promise.all([board.mem(), board.metrics(), board.run("step"), board.refresh(), board.mem()]);
  assert.equal(most, 1);
  await board.close();
});

test("a port that goes away while its board restarts is opened again", async () => {
  let connections = 0;
  const port = {
    readable: null, writable: null, getInfo: () => ({ usbVendorId: 1 }), close: async () => undefined,
    async open() {
      if (++connections === 2) throw new DOMException("Failed to open serial port.", "NetworkError"); // it is not back yet
      const line = standIn(([, type, sequence], send) => {
        if (type === 22) return setTimeout(() => line.lose(new DOMException("The device has been lost.", "NetworkError")), 100);
        send(frame(type | 0x80, sequence, type === 1 ? info() : new Uint8Array(32)));
      });
      Object.assign(port, { readable: line.readable, writable: line.writable });
    },
  };
  const board = await Board.open(port), again = board.reboot();
  setTimeout(() => (port.readable = port.writable = null), 300);
  assert.equal((await again).name, "board");
  assert.equal((await board.mem()).ram, 0);
  assert.equal(connections, 3);
  await board.close();
  assert.equal(await board.closed, null);
});
