// node one_round.mjs MODEL.mote STATE.gmck BASE.gmck NUMBER BITS SEED KEEP_LOSS DOWN.gmd UP.gmd simd|plain: ends a
// round of a device whose state and base are in files, as tests/toolchain/numerics_bits/end_round.c does.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { load } from "gradmote/federated";

const [model, state, base, number, bits, seed, keepLoss, down, up, form] = process.argv.slice(2);
const delta = readFileSync(down);

/** Returns a session at the base of the round. */
async function atBase() {
  const session = await load(model, { simd: form === "simd" });
  if (existsSync(base)) session.load(readFileSync(base));
  session.beginRound(Number(number));
  return session;
}

const session = await atBase(), next = await atBase();
session.load(readFileSync(state));
writeFileSync(up, session.roundDelta(Number(bits), Number(seed)));
session.endRound(delta, Number(keepLoss) ? Number(bits) : 0, Number(seed));
next.endRound(delta);
writeFileSync(base, next.save());
writeFileSync(state, session.save());
