// What every page does: it trains a model, and leaves the digest of the state in globalThis.result.
import { drawn, drawnFor, labels, train } from "../data.mjs";

const STEPS = 20;
const address = (name) => new URL(`/data/${name}`, globalThis.location.href).href;

/** Trains through Session, and returns the errors of bad input; the page must still work after them. */
export async function trained(gradmote, options = {}) {
  try {
    const session = await gradmote.load(address("lenet.mote"), options);
    train(session, STEPS, 10);
    const digest = session.stateSha256(), errors = [];
    for (const bad of [[new Float32Array(3), [1, 2]], [drawn(2 * 784, 1).fill(NaN), [1, 2]], [drawn(2 * 784, 1), [1, 99]]]) {
      try { session.step(...bad); } catch (error) { errors.push(error.name); }
    }
    const missing = await gradmote.load(address("nothing.mote"), options).catch((error) => error.message);
    return { digest, errors, missing };
  } catch (error) {
    return { error: String(error) };
  }
}

export const report = async (gradmote, options) => (globalThis.result = await trained(gradmote, options));

/** Trains through TrainingSession as a page for onnxruntime-web does. */
export async function reportTraining(ort) {
  try {
    const mote = address("accumulate.mote");
    const session = await ort.TrainingSession.create({ checkpointState: mote, trainModel: mote, evalModel: mote, optimizerModel: mote });
    for (let step = 0; step < STEPS; step++) {
      const x = new ort.Tensor("float32", drawn(128, step + 1), [2, 64]);
      await session.runTrainStep({ x, labels: new ort.Tensor("int64", BigInt64Array.from(labels(2, step, 10), BigInt), [2]) });
      await session.runOptimizerStep();
      await session.lazyResetGrad();
    }
    globalThis.result = { digest: session.session.stateSha256() };
  } catch (error) {
    globalThis.result = { error: String(error) };
  }
}

/** Trains in a worker, in one message. */
export async function connected(connect) {
  try {
    const session = await connect(address("lenet.mote"));
    const x = new Float32Array(STEPS * 2 * 784), y = new Int32Array(STEPS * 2);
    for (let step = 0; step < STEPS; step++) {
      x.set(drawn(2 * 784, step + 1), step * 2 * 784);
      y.set(labels(2, step, 10), step * 2);
    }
    const epochs = [];
    await session.train({ x, y, onEpoch: (epoch) => epochs.push(epoch.steps) });
    const error = await session.step(x, y).catch(({ name }) => name);
    const digest = await session.stateSha256();
    session.close();
    return { digest, epochs, refused: error };
  } catch (error) {
    return { error: String(error) };
  }
}

export const reportConnected = async (connect) => (globalThis.result = await connected(connect));

/** Trains a quantized model here and in a worker, whose module the package chooses. */
export async function reportQuantized({ connect, load }) {
  try {
    const here = await load(address("narrow-int8.mote")), there = await connect(address("narrow-int8.mote"));
    train(here, STEPS, 5);
    for (let step = 0; step < STEPS; step++) await there.step(drawnFor(here.inputs()[0], step + 1), labels(1, step, 5));
    globalThis.result = { digest: here.stateSha256(), remote: await there.stateSha256(), weight: here.parameter("w").constructor.name };
    there.close();
  } catch (error) {
    globalThis.result = { error: String(error) };
  }
}
