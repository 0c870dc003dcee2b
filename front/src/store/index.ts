// What screens use of the service: painted from the device, asked of the service, written through the queue.

export { account, addPasskey, hasPasskeys, may, signedOutByHand, signIn, signInWithPasskey, signOut } from "./account";
export { client } from "./client";
export { isPageKept } from "./copy";
export { drafts } from "./drafts";
export type { Failure } from "./failure";
export { failureOf, isPassing, Unable } from "./failure";
export { ask, askAgain, mapped } from "./live";
export type { Live } from "./live";
export type { SessionFilter } from "./match";
export { rested } from "./network";
export { create, move, newKey, queue, remove, sendHeld, storedVersion, update } from "./queue";
export type { Outcome, Problem, QueuedWrite, Removed } from "./queue";
export { directory, keptSessions, record, savedId, sessionsOf } from "./records";
export type { SessionList } from "./records";
export type { Directory, Entity, Removable, Row, SessionRow } from "./rows";
export { inactivity, offlineCopy, setting } from "./settings";
export { start } from "./start";
export { sync } from "./sync";
export { merged } from "./writes";
