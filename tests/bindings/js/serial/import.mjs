// Prints whether the entries share their errors as ES modules, and the public names of Board.
import { GradmoteError } from "gradmote";
import * as serial from "gradmote/serial";
import { standIn } from "./stand_in.mjs";
const error = await serial.Board.open(standIn((_, send) => send([...new TextEncoder().encode("ready\r\n")])), { attempts: 1 }).catch((refused) => refused);
const names = Object.getOwnPropertyNames(serial.Board.prototype).filter((name) => name !== "constructor");
console.log(JSON.stringify({ shared: error instanceof GradmoteError && error instanceof serial.DeviceError, hasSerial: serial.hasSerial(), names }));
