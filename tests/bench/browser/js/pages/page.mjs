// What the page of every contestant does: it opens the case that its address names, takes the first step, and then as
// many steps as it is asked for. The labels change from step to step, so that no loss comes near 0.

const NETWORKS = {
  mlp: { shape: [64], classes: 10 },
  lenet: { shape: [1, 28, 28], classes: 10 },
  ds_cnn: { shape: [1, 49, 10], classes: 12 },
};
/** How many batches of labels there are, which are gone through again and again. */
const LABELS = 64;

/** Returns numbers in -1 .. 1 that differ. */
function noise(count) {
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 23 - 1;
  });
}

/** Returns the case of the address: network, batch, form, rate; with one batch of inputs, and batches of labels. */
export function readCase() {
  const asked = Object.fromEntries(new URL(globalThis.location.href).searchParams), { network, form } = asked;
  const batch = Number(asked.batch), rate = Number(asked.rate), { shape, classes } = NETWORKS[network];
  const x = noise(shape.reduce((product, dim) => product * dim, batch));
  const labels = Array.from({ length: LABELS }, (_, step) =>
    Int32Array.from({ length: batch }, (_, i) => (step * 7 + i * 3) % classes));
  return { network, folder: `/cases/${network}/`, batch, form, rate, shape, classes, x, labels };
}

/**
 * Opens the case and takes the first step. contestant: takes the case, and returns a promise of a function that takes the
 * number of a step, takes the step, and returns its loss or a promise of it.
 */
export async function enter(contestant) {
  try {
    const step = await contestant(readCase());
    let taken = 0;
    const next = () => step(taken++ % LABELS);
    const first = await next();
    globalThis.losses = async (count) => {
      const found = [first];
      while (found.length < count) found.push(await next());
      return found;
    };
    globalThis.run = async (steps) => {
      for (let i = 0; i < steps; i++) {
        const loss = next();
        if (loss?.then) await loss;
      }
    };
    globalThis.opened = { seconds: performance.now() / 1000, loss: first };
  } catch (error) {
    globalThis.opened = { error: String(error?.message ?? error) };
  }
}
