// Whether this device and the service agree, for the status "Synchronisation".

import { isOnline, isUnavailable } from "./network";
import { isSending } from "./queue";
import { statusWords } from "./status";
import { writes } from "./tables";

export const sync = {
  isOnline,
  words(): string {
    const refused = writes().filter((one) => one.problem !== null).length;
    return statusWords({ isOnline: isOnline(), isUnavailable: isUnavailable(), isSending: isSending(), waiting: writes().length - refused, refused });
  },
};
