// One more write in the queue, which may become part of one that waits. The first page does without.

import { concerns, merged, needs, type QueuedWrite } from "./writes";

/** The list with one more write. What concerns a creation that was never sent becomes part of it, and a move part of a move. */
export function added(writes: readonly QueuedWrite[], write: QueuedWrite): readonly QueuedWrite[] {
  const last = writes.filter((one) => concerns(one, write.entity, write.recordId)).pop();
  if (write.kind === "move" && last?.kind === "move" && last.sentAt === null && last.problem === null) {
    const values = { ...last.values, ...write.values };
    const isBack = merged({}, values, last.base ?? {}).conflicts.length === 0;
    return isBack ? writes.filter((one) => one !== last) : writes.map((one) => (one === last ? { ...last, values } : one));
  }
  const at = writes.findIndex((one) => one.kind === "create" && concerns(one, write.entity, write.recordId));
  const creation = writes[at];
  if (creation === undefined || creation.sentAt !== null || write.kind === "create" || write.kind === "call") return [...writes, write];
  const later = writes.slice(at + 1);
  if (later.some((one) => concerns(one, write.entity, write.recordId))) return [...writes, write];
  if (write.kind === "delete") {
    return later.some((one) => needs(one, creation)) ? [...writes, write] : writes.filter((one) => one !== creation);
  }
  // The creation keeps its place, and can therefore not refer to a record that is created after it.
  if (later.some((one) => needs(write, one))) return [...writes, write];
  const whole = { ...creation, values: { ...creation.values, ...write.values }, problem: null };
  return writes.map((one) => (one === creation ? whole : one));
}
