// A line that flips a bit of a byte or loses it, with probability RATE each, in both directions, and stalls
// after one with probability STALLS.
const RATE = 5e-4;
const STALLS = 1e-4;

/** Returns a transport with noise, drawn from a seed. damage: the bytes that were flipped and dropped so far. */
export function noisy({ readable, writable, close }, seed) {
  const damage = { flipped: 0, lost: 0, stalled: 0 }, random = numbers(seed);
  const through = () => new TransformStream({ transform: (bytes, controller) => damaged(bytes, controller, damage, random) });
  const [incoming, outgoing] = [through(), through()];
  readable.pipeTo(incoming.writable).catch(() => undefined);
  outgoing.readable.pipeTo(writable).catch(() => undefined);
  return { readable: incoming.readable, writable: outgoing.writable, close, damage };
}

async function damaged(bytes, controller, damage, random) {
  const arrived = [];
  for (const byte of bytes) {
    const luck = random() / RATE;
    if (luck >= 2) arrived.push(byte);
    else if (luck >= 1) damage.lost++;
    else {
      damage.flipped++;
      arrived.push(byte ^ (1 << Math.floor(random() * 8)));
    }
  }
  if (random() < STALLS * bytes.length) {
    damage.stalled++;
    await new Promise((resume) => setTimeout(resume, 300 * random()));
  }
  controller.enqueue(Uint8Array.from(arrived));
}

/** Returns a function that draws numbers in 0 .. 1. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
