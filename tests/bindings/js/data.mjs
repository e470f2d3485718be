// Numbers that every language can make: those of bindings.same_state.

/** Returns `count` numbers in 0 .. 1, drawn from a seed. */
export function drawn(count, seed) {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 16777216;
  });
}

/** Returns drawn numbers for a tensor: integers of 8 bits are drawn from all that there are. */
export function drawnFor({ dtype, shape }, seed) {
  const numbers = drawn(shape.reduce((count, dim) => count * dim, 1), seed);
  if (dtype === "float32") return numbers;
  return dtype === "int8" ? Int8Array.from(numbers, (x) => Math.floor(256 * x) - 128) : Uint8Array.from(numbers, (x) => Math.floor(256 * x));
}

/** Returns the labels of a step: 7 k + 3 i mod classes. */
export function labels(count, step, classes) {
  return Int32Array.from({ length: count }, (_, i) => (step * 7 + i * 3) % classes);
}

/** Trains a session for some steps, and returns the last loss. */
export function train(session, steps, classes) {
  const [input] = session.inputs(), [label] = session.labels(), program = session.requirements().programs.includes("step");
  let loss = 0;
  for (let step = 0; step < steps; step++) {
    const batch = [drawnFor(input, step + 1), labels(label.size / 4, step, classes)];
    loss = program ? session.step(...batch) : session.trainStep(...batch);
    if (!program) session.optimizerStep(), session.lazyResetGrad();
  }
  return loss;
}
