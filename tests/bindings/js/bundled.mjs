// The entry that bundlers take: both APIs of the installed package.
import * as gradmote from "gradmote";
import * as ort from "gradmote/training";
import { reportTraining, trained } from "./pages/train.mjs";

const first = await trained(gradmote);
await reportTraining(ort);
globalThis.result = { ...first, training: globalThis.result.digest };
