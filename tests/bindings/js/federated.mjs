// A server of federated learning, as small as it can be: it waits for the parameters of all devices, and answers each with
// their mean.

/** Returns a handler for the requests of so many devices. */
export function federation(devices = 2) {
  let round = [];
  return async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    round.push({ bytes: Buffer.concat(parts), response });
    if (round.length < devices) return;
    const mean = meanOf(round.map(({ bytes }) => new Float32Array(new Uint8Array(bytes).buffer)));
    for (const waiting of round) waiting.response.end(new Uint8Array(mean.buffer));
    round = [];
  };
}

function meanOf(all) {
  return all[0].map((_, i) => all.reduce((sum, parameters) => sum + parameters[i], 0) / all.length);
}
