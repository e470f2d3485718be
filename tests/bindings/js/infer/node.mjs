// node node.mjs MODEL.mote simd|plain: prints the answers of a model as JSON.
import * as infer from "gradmote/infer";
import { answers } from "./answers.mjs";
const [model, form] = process.argv.slice(2);
console.log(JSON.stringify(await answers(infer, model, { simd: form === "simd" })));
