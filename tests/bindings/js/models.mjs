// The models of bindings.same_models: their data, and how they are trained.
import { drawn } from "./data.mjs";

/** Returns the data of one tensor in one step, of the tensor's own type; whole numbers are below `below`. */
function dataOf({ dtype, size }, seed, below) {
  const numbers = drawn(size / 4, seed);
  return dtype === "int32" ? Int32Array.from(numbers, (number) => Math.floor(number * below)) : numbers;
}

/** Trains a session, of this thread or a worker, and returns the digest of its state. */
async function trained(session, { below, steps }) {
  const tensors = [...(await session.inputs()), ...(await session.labels())];
  const { programs } = await session.requirements();
  for (let step = 0; step < steps; step++) {
    const batch = tensors.map((tensor, i) => dataOf(tensor, 100 * step + i, below));
    if (programs.includes("step")) {
      await session.step(...batch);
      continue;
    }
    await session.trainStep(...batch);
    if (step % 2) { // two batches make an update
      await session.optimizerStep();
      await session.lazyResetGrad();
    }
  }
  return session.stateSha256();
}

/** Trains every model of the list, and returns their digests by name; an error's text stands for a digest. */
export async function trainAll(open, list) {
  const states = {};
  for (const model of list) {
    try {
      const session = await open(`${model.name}.mote`);
      states[model.name] = await trained(session, model);
      session.close();
    } catch (error) {
      states[model.name] = String(error);
    }
  }
  return states;
}
