import * as gradmote from "../../node_modules/gradmote/dist/gradmote.mjs";
import { trained } from "./train.mjs";
postMessage(await trained(gradmote));
