// node import.mjs MODEL.mote: opens a model through both entries as ES modules; prints its parameters, and whether errors are of one class.
import { DataError, load } from "gradmote";
import * as ort from "gradmote/training";
const session = await load(process.argv[2]);
const error = await ort.InferenceSession.create(new Uint8Array(8)).catch((refused) => refused);
console.log(session.parameterNames().length, error instanceof DataError);
