// Prints the names that FederatedSession has beside those of Session, and fails unless both are of one package.
import { Session } from "gradmote";
import { FederatedSession } from "gradmote/federated";
if (Object.getPrototypeOf(FederatedSession) !== Session) throw new Error("the entries do not share Session");
console.log(JSON.stringify(Object.getOwnPropertyNames(FederatedSession.prototype).filter((name) => name !== "constructor")));
