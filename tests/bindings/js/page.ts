// A page for onnxruntime-web/training; MODULE stands for the module that it imports.
import { env, InferenceSession, Tensor, TrainingSession } from "MODULE";

type Batch = { pixels: Float32Array; labels: BigInt64Array; count: number };

export async function train(model: string, batches: Batch[], epochs: number): Promise<number[]> {
  env.wasm.wasmPaths = "dist/";
  env.wasm.numThreads = 1;
  const options = { checkpointState: model, trainModel: model, evalModel: model, optimizerModel: model };
  const session = await TrainingSession.create(options, { executionProviders: ["wasm"] });
  const losses: number[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { pixels, labels, count } of batches) {
      const feeds = {
        x: new Tensor("float32", pixels, [count, 64]),
        labels: new Tensor("int64", labels, [count]),
      };
      const results = await session.runTrainStep(feeds);
      losses.push((results["loss"]!.data as Float32Array)[0]!);
      await session.runOptimizerStep();
      await session.lazyResetGrad();
    }
  }
  return losses;
}

export async function exchange(session: TrainingSession, send: (bytes: Uint8Array) => Promise<Uint8Array>): Promise<number> {
  const tensor = await session.getContiguousParameters(true);
  const data = tensor.data as Float32Array;
  await session.loadParametersBuffer(await send(new Uint8Array(data.buffer)), true);
  const names: readonly string[] = [...session.trainingInputNames, ...session.trainingOutputNames, ...session.evalInputNames,
    ...session.evalOutputNames];
  const size = await session.getParametersSize(true);
  await session.release();
  return size + names.length + tensor.dims.length + tensor.size;
}

export async function evaluate(session: TrainingSession, x: Float32Array): Promise<Tensor | undefined> {
  const feeds = { x: new Tensor(x, [1, 64]), labels: new Tensor("int64", [1n], [1]) };
  const all = await session.runEvalStep(feeds);
  const some = await session.runEvalStep(feeds, ["loss"]);
  return all["y"] ?? some["loss"];
}

export async function infer(bytes: Uint8Array, x: Float32Array): Promise<number> {
  const session = await InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const { y } = await session.run({ x: new Tensor("float32", x, [1, 64]).reshape([1, 64]) });
  const data = (await y!.getData()) as Float32Array;
  y!.dispose();
  await session.release();
  return data[0]! + session.inputNames.length + session.outputNames.length;
}
