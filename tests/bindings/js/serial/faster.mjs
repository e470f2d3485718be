// Import it before gradmote: its time-outs then pass a hundred times as fast.
const SPEED = 100;
const now = performance.now.bind(performance), timeout = globalThis.setTimeout;
performance.now = () => now() * SPEED;
globalThis.setTimeout = (call, milliseconds = 0, ...values) => timeout(call, milliseconds / SPEED, ...values);
