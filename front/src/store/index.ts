// What screens use of the service: painted from the device, asked of the service, written through the queue.

export { account, bar, hasPasskeys, may, newPlace, signedOutByHand, signIn, signOut } from "./account";
export { client } from "./client";
export { isPageKept } from "./copy";
export { drafts } from "./drafts";
export type { Failure } from "./failure";
export { failureOf, isPassing, Unable } from "./failure";
export { ask, askAgain, mapped } from "./live";
export type { Live } from "./live";
export type { SessionFilter } from "./match";
export { rested } from "./network";
export { newKey } from "./keys";
export type { Outcome } from "./outcomes";
export type { Removed } from "./pressing";
export { queue } from "./queue";
export { record } from "./record";
export { directory, keptSessions, savedId, sessionsOf } from "./records";
export type { SessionList } from "./records";
export type { Directory, Entity, Removable, Row, SessionRow } from "./rows";
export { inactivity, offlineCopy, setting } from "./settings";
export { storedVersion } from "./sending";
export { start } from "./start";
export { sync } from "./sync";
export { merged } from "./writes";
export type { Problem, QueuedWrite } from "./writes";
