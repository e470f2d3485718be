// A typical page for onnxruntime-web/training 1.17: two devices learn handwritten digits, each from its own half
// of the samples, and a server averages what they have learned. `ort` is what the page imported; nothing here depends on
// whether that is onnxruntime-web or gradmote/training. As a classic script, a module or with require(), it makes one
// function: digitsPage.

globalThis.digitsPage = (() => {
  const BATCH = 8, PIXELS = 64, CLASSES = 10, ROUNDS = 3, EPOCHS = 3;

  /** Images and labels in the form of the MNIST files. */
  class Digits {
    constructor(pixels, labels) {
      this.pixels = pixels;
      this.labels = labels;
    }

    static async load(folder, name) {
      const [images, labels] = await Promise.all([fetched(`${folder}${name}-images.idx3-ubyte`), fetched(`${folder}${name}-labels.idx1-ubyte`)]);
      return new Digits(images.subarray(16), labels.subarray(8));
    }

    /** Each device has its own samples. */
    part(device, devices) {
      const of = (values, width) => values.filter((_, i) => Math.floor(i / width) % devices === device);
      return new Digits(of(this.pixels, PIXELS), of(this.labels, 1));
    }

    *batches(ort) {
      for (let at = 0; at + BATCH <= this.labels.length; at += BATCH) {
        const pixels = Float32Array.from(this.pixels.subarray(at * PIXELS, (at + BATCH) * PIXELS), (value) => value / 16);
        const labels = BigInt64Array.from(this.labels.subarray(at, at + BATCH), BigInt);
        yield { x: new ort.Tensor("float32", pixels, [BATCH, PIXELS]), labels: new ort.Tensor("int64", labels, [BATCH]) };
      }
    }
  }

  async function fetched(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  async function trainEpoch(ort, session, digits) {
    const lossName = session.trainingOutputNames[0], losses = [];
    for (const feeds of digits.batches(ort)) {
      const results = await session.runTrainStep(feeds);
      losses.push(results[lossName].data[0]);
      await session.runOptimizerStep();
      await session.lazyResetGrad();
    }
    await new Promise((resolve) => setTimeout(resolve, 0)); // the page draws
    return losses;
  }

  async function test(ort, session, digits) {
    const [lossName] = session.evalOutputNames;
    let count = 0, right = 0, total = 0, batches = 0;
    for (const feeds of digits.batches(ort)) {
      const results = await session.runEvalStep(feeds);
      total += results[lossName].data[0];
      batches++;
      for (let i = 0; i < BATCH; i++) {
        const scores = Array.from(results.y.data.subarray(i * CLASSES, (i + 1) * CLASSES));
        right += BigInt(scores.indexOf(Math.max(...scores))) === feeds.labels.data[i];
        count++;
      }
    }
    return { accuracy: right / count, loss: total / batches };
  }

  /** Sends a device's parameters to the server, which answers with the mean of all devices'. */
  async function exchange(session, server) {
    const parameters = await session.getContiguousParameters(true);
    const response = await fetch(server, { method: "POST", body: new Uint8Array(parameters.data.buffer) });
    await session.loadParametersBuffer(new Uint8Array(await response.arrayBuffer()), true);
  }

  async function digest(session) {
    const { data } = await session.getContiguousParameters(true);
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** The first device gets addresses, the second one bytes in memory. */
  async function createSessions(ort, artifacts) {
    const { checkpointState, trainModel, evalModel, optimizerModel } = artifacts;
    const first = await ort.TrainingSession.create({ checkpointState, trainModel, evalModel, optimizerModel }, { executionProviders: ["wasm"] });
    const [state, train, evaluate, optimizer] = await Promise.all([checkpointState, trainModel, evalModel, optimizerModel].map(fetched));
    const buffers = { checkpointState: state, trainModel: train, evalModel: evaluate, optimizerModel: optimizer };
    return [first, await ort.TrainingSession.create(buffers)];
  }

  /** folder: of the data. server: its address. show: gets a line to draw. */
  return async function digitsPage(ort, { artifacts, folder, server, show = () => {} }) {
    const [train, held] = await Promise.all([Digits.load(folder, "train"), Digits.load(folder, "test")]);
    const sessions = await createSessions(ort, artifacts), losses = [];
    const before = await test(ort, sessions[0], held);
    show(`before: ${(100 * before.accuracy).toFixed(1)} %`);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [device, session] of sessions.entries()) {
        for (let epoch = 0; epoch < EPOCHS; epoch++) losses.push(...(await trainEpoch(ort, session, train.part(device, sessions.length))));
      }
      await Promise.all(sessions.map((session) => exchange(session, server)));
      show(`round ${round + 1}: ${(100 * (await test(ort, sessions[0], held)).accuracy).toFixed(1)} %`);
    }
    const [one] = sessions, after = await test(ort, one, held);
    const names = [one.trainingInputNames, one.trainingOutputNames, one.evalInputNames, one.evalOutputNames].map((list) => [...list]);
    const digests = [await digest(one), await digest(sessions[1])], size = await one.getParametersSize(true);
    await Promise.all(sessions.map((session) => session.release()));
    const released = await one.lazyResetGrad().then(() => "", (error) => String(error));
    return { before, after, losses, names, digests, size, released };
  };
})();
