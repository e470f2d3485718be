// node require.cjs MODEL.mote: as import.mjs, by CommonJS.
const { DataError, load } = require("gradmote");
const ort = require("gradmote/training");
(async () => {
  const session = await load(process.argv[2]);
  const error = await ort.InferenceSession.create(new Uint8Array(8)).catch((refused) => refused);
  console.log(session.parameterNames().length, error instanceof DataError);
})();
