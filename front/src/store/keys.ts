// Keys of writes, and the numbers of records that the service does not have yet.

/** A key that no other write has; browsers make a UUID in a secure context alone. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

let lastId = 0;

/** A number that no record has and no other write. */
export function temporaryId(): number {
  lastId = Math.max(lastId + 1, Date.now() * 1_000 + Math.floor(Math.random() * 1_000));
  return -lastId;
}
