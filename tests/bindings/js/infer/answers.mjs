// What a page that only infers does: it opens a model, and leaves its answers to drawn inputs in globalThis.result.
import { drawn, drawnFor } from "../data.mjs";

/** Returns all outputs for drawn inputs. */
export async function answers(infer, model, options) {
  const session = await infer.load(model, options);
  const inputs = session.inputs().map((info, i) => drawnFor(info, i + 1));
  return session.infer(...inputs).map((view) => [...view]);
}

/** Leaves the answers of a page, by Inference and by onnxruntime's class, and what it says of a damaged image. */
export async function report(infer) {
  try {
    const address = new URL("/data/lenet.mote", globalThis.location.href).href;
    const named = await infer.InferenceSession.create(address), [name] = named.inputNames;
    const { dims, data } = Object.values(await named.run({ [name]: new infer.Tensor("float32", drawn(2 * 784, 1), [2, 1, 28, 28]) }))[0];
    const damaged = new Uint8Array(await (await fetch(address)).arrayBuffer());
    damaged[damaged.length - 1] ^= 1;
    const refused = await infer.load(damaged).catch(({ error }) => error);
    globalThis.result = { digest: "told", answers: await answers(infer, address), named: [...data], dims, refused };
  } catch (error) {
    globalThis.result = { error: String(error) };
  }
}
