// What a board is put through, in node and in a page: it uses only the promises of Board. The models and samples are
// those of tests/bindings/test_serial.py, which puts the twin through the same.

/** Returns the SHA-256 of some bytes, in hex. */
export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Uploads a model, trains, tests, saves, and goes on from the checkpoint. Returns what the twin must say too. */
export async function training(board, { image, pixels, labels }) {
  const sent = [], losses = [], told = [];
  await board.loadImage(image, { onProgress: (done, total) => sent.push(done / total) });
  const data = { x: pixels, y: labels, scale: 1 / 16 };
  const epochs = await board.train({
    ...data, epochs: 2, onStep: ({ loss }) => losses.push(loss),
    onEpoch: async ({ epoch }) => told.push([epoch, (await board.metrics()).trainSteps]),
  });
  const test = await board.evaluate(data), scores = await board.predict(data), checkpoint = await board.save();
  await board.reset();
  const initial = await sha256(await board.state());
  await board.load(checkpoint);
  await board.train(data);
  return {
    rising: sent.every((share, i) => share > (sent[i - 1] ?? 0)) && sent.at(-1) === 1,
    losses, told, means: epochs.map(({ loss }) => loss), test, scores: await sha256(new Uint8Array(scores.buffer)),
    checkpoint: await sha256(checkpoint), initial, gone_on: await sha256(await board.save()),
    parameters: await sha256(new Uint8Array((await board.parameters()).buffer)), half: (await board.save({ half: true })).length,
  };
}

/** Uploads a model, trains for one epoch, and returns the digest of the checkpoint. */
export async function epoch(board, { image, pixels, labels }) {
  await board.loadImage(image);
  await board.train({ x: pixels, y: labels, scale: 1 / 16 });
  return sha256(await board.save());
}

/** Teaches a board some classes by hand. */
export async function teaching(board, { image, pixels, labels }) {
  await board.loadImage(image);
  for (const [i, label] of labels.entries()) await board.learn(label, Float32Array.from(pixels.subarray(64 * i, 64 * (i + 1)), (q) => q / 16));
  const losses = [];
  for (let i = 0; i < 20; i++) losses.push((await board.replay()).loss);
  const scores = [];
  for (let label = 0; label < 10; label++) scores.push(await board.score(label));
  await board.forget(3);
  await board.setIdleTraining(true);
  const { idle, ...store } = await board.store();
  await board.setIdleTraining(false);
  return { losses, scores, idle, store, class3: await board.storeClass(3), class4: await board.storeClass(4) };
}

/** Replaces the model with one that differs in one layer, while it runs. */
export async function updating(board, { image, other }) {
  await board.loadImage(image);
  const { kept, carried } = await board.updateImage(other);
  return { kept, carried, batch: board.info().batch, state: await sha256(await board.state()) };
}

/** Offers images to a board that only takes signed ones, then sends one, and updates it. */
export async function signing(board, { signed, unsigned, other_key, other_signature }) {
  const told = {};
  for (const [name, image] of Object.entries({ unsigned, other_key, other_signature })) told[name] = await failure(() => board.loadImage(image));
  const { status, keyId, profile } = await board.loadImage(signed);
  await board.step([1, -2, 0.5, 0.25, 3, -1], [2, 0]);
  const before = await sha256(await board.state());
  told.update = await failure(() => board.updateImage(other_signature));
  const stayed = (await sha256(await board.state())) === before, { kept } = await board.updateImage(signed);
  return { told, status, keyId, profile, stayed, kept, carried: (await sha256(await board.state())) === before };
}

/** Trains in two rounds of federated learning, whose next base is what the board sent. */
export async function rounds(board, { image, pixels, labels }) {
  await board.loadImage(image);
  const sent = [], numbers = [await board.round()], data = { x: pixels, y: labels, scale: 1 / 16 };
  for (const [bits, shared] of [[4, undefined], [8, Uint8Array.of(1)]]) {
    await board.train(data);
    const delta = await board.roundDelta(bits, 7, shared);
    sent.push(await sha256(delta));
    numbers.push(await board.endRound(delta, bits, 7));
  }
  await board.beginRound(5);
  return { sent, numbers: [...numbers, await board.round()], state: await sha256(await board.state()), refused: await failure(() => board.endRound(new Uint8Array(60))) };
}

/** Restarts a board, which goes on from what it saved. */
export async function restarting(board, { image, pixels, labels }) {
  await board.loadImage(image);
  await board.train({ x: pixels, y: labels, scale: 1 / 16 });
  await board.save();
  const before = await sha256(await board.state());
  await board.step();
  const { status } = await board.reboot();
  return { status, back: (await sha256(await board.state())) === before };
}

/** Returns the error of a call: its class, its name and its text. */
export async function failure(call) {
  const error = await Promise.resolve().then(call).then(() => ({ name: "none" }), (reason) => reason);
  return [error.name, error.error ?? "", error.text ?? error.message];
}

/** Makes impossible requests. The board keeps its model and goes on after each. */
export async function refusals(board, { image, pixels, labels, large, foreign }) {
  await board.loadImage(image);
  const before = await sha256(await board.state()), data = { x: pixels, y: labels, scale: 1 / 16 };
  const damaged = image.slice(), wrong = Int32Array.from(labels), nan = new Float32Array(64 * 8).fill(NaN);
  damaged[image.length >> 1] ^= 1;
  wrong[5] = 11;
  const calls = {
    damaged: () => board.loadImage(damaged), truncated: () => board.loadImage(image.slice(0, -1)), text: () => board.loadImage(new Uint8Array(500)),
    large: () => board.loadImage(large), foreign: () => board.loadImage(foreign), foreign_update: () => board.updateImage(foreign), damaged_update: () => board.updateImage(damaged), missing: () => board.loadImage("nothing.mote"),
    width: () => board.train({ x: pixels.subarray(1), y: labels }), labels: () => board.train({ ...data, y: wrong }),
    few: () => board.train({ x: pixels.subarray(0, 64), y: labels.subarray(0, 1) }), fraction: () => board.train({ ...data, y: new Float32Array(labels.length).fill(0.5) }),
    infinite: () => board.train({ x: nan, y: labels.subarray(0, 8) }), unlabelled: () => board.train({ x: pixels }),
    micro_batches: () => board.train({ ...data, microBatches: 2 }), kind: () => board.train({ ...data, x: [1, 2] }),
    checkpoint: () => board.load(new Uint8Array(100)), store: () => board.store(), input: () => board.write("input", 1, [1]), size: () => board.write("input", 0, [1]),
    aborted: () => board.train({ ...data, signal: AbortSignal.abort(new Error("enough")) }), no_gradient: () => board.gradient(0),
  };
  const told = {};
  for (const [name, call] of Object.entries(calls)) told[name] = await failure(call);
  await board.reset();
  return { told, kept: (await sha256(await board.state())) === before };
}
