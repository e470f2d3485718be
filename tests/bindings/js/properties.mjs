// node properties.mjs MODEL.mote KEPT.gmck NAMES.json FOLDER: loads a checkpoint, prints the type and the value of the
// properties with these names, and writes again.gmck, begun.gmck (without the optimizer's state) and added.gmck (of a new
// session, with properties of its own).
import { readFileSync, writeFileSync } from "node:fs";
import { connect, load } from "gradmote";
import { CheckpointState } from "gradmote/checkpoint";

const [model, kept, names, folder] = process.argv.slice(2), image = readFileSync(model);
const write = (name, file) => writeFileSync(`${folder}/${name}.gmck`, file);
const session = await load(image), state = new CheckpointState(session);
await state.load(readFileSync(kept));
const found = {};
for (const name of JSON.parse(readFileSync(names))) {
  const value = await state.getProperty(name).catch((error) => error);
  found[name] = [value instanceof Error ? "error" : typeof value, String(value)];
}
console.log(JSON.stringify(found));
write("again", await state.save());
write("begun", await state.saveWithoutOptimizer());

const worker = await connect(image), other = new CheckpointState(worker);
await worker.setProperty("device", 7);
other.addProperty("epoch", 3);
other.addProperty("best", 0.5);
other.addProperty("a count under a long name", 2n ** 40n);
other.addProperty("größe", 'said "5"\n');
other.addProperty("empty", "");
write("kept", await other.save());
worker.close();
