// What earlier versions of this page have left on the device: a phone that is updated loses no write that waits.

import type { Book, QueuedWrite } from "./writes";

/** Corrections of a count were the only calls, and were kept as creations. */
function asCall(write: QueuedWrite): QueuedWrite {
  const title = `${write.values["delta"] === 1 ? "Entrée" : "Sortie"} de «\u00a0${String(write.base?.["name"])}\u00a0»`;
  return { ...write, kind: "call", method: "entries.override", words: { title } };
}

export const upgraded = ({ writes, saved }: Book): Book =>
  ({ saved, writes: writes.map((one) => (one.entity === "entries" && one.kind === "create" ? asCall(one) : one)) });
