/** Let time pass `speed` times as fast for all time-outs of this process. Call it before gradmote is imported. */
export function runAt(speed) {
  const now = performance.now.bind(performance), timeout = globalThis.setTimeout;
  performance.now = () => now() * speed;
  globalThis.setTimeout = (call, milliseconds = 0, ...values) => timeout(call, milliseconds / speed, ...values);
}
