// The entry that bundlers take.
import * as infer from "gradmote/infer";
import { report } from "./answers.mjs";
await report(infer);
