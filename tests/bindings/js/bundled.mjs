// The entry that bundlers take: both APIs of the installed package, and its worker.
import * as gradmote from "gradmote";
import * as ort from "gradmote/training";
import { connected, reportTraining, trained } from "./pages/train.mjs";

const first = await trained(gradmote), remote = await connected(gradmote.connect);
await reportTraining(ort);
globalThis.result = { ...first, remote, training: globalThis.result.digest };
