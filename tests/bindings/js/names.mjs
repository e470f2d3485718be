// Prints the public names of Session: of its class, of its objects, and of objects only.
import { Session } from "gradmote";
const own = (object) => Object.getOwnPropertyNames(object).filter((name) => !["constructor", "length", "name", "prototype"].includes(name));
console.log(JSON.stringify([...own(Session), ...own(Session.prototype), "profile"]));
