// node require.cjs MODEL.mote: as node.mjs, by CommonJS.
const infer = require("gradmote/infer");
import("./answers.mjs").then(async ({ answers }) => console.log(JSON.stringify(await answers(infer, process.argv[2]))));
