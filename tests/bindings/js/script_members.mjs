// Prints, for each script, the members of its classes that its module has and it has not: they got short names.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

/** What the script of an entry calls its global. */
const GLOBALS = { gradmote: "gradmote", training: "ort", infer: "gradmoteInfer", storage: "gradmoteStorage", checkpoint: "gradmoteCheckpoint",
  federated: "gradmoteFederated", serial: "gradmoteSerial" };
const dist = new URL("../node_modules/gradmote/dist/", import.meta.url);

/** Returns "Class.member" for all members of the classes among what an entry exports. */
function members(exported) {
  const classes = Object.entries(exported).filter(([, value]) => typeof value === "function" && value.prototype);
  return classes.flatMap(([name, { prototype }]) => Object.getOwnPropertyNames(prototype).map((member) => `${name}.${member}`));
}

const lacking = {};
for (const [entry, name] of Object.entries(GLOBALS)) {
  const script = readFileSync(new URL(`${entry}.min.js`, dist), "utf8");
  const found = new Set(members(runInThisContext(`${script};${name}`)));
  lacking[entry] = members(await import(new URL(`${entry}.mjs`, dist))).filter((member) => !found.has(member));
}
console.log(JSON.stringify(lacking));
