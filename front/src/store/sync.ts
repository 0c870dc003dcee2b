// Whether this device and the service agree, for the status "Synchronisation".

import { account } from "./account";
import { isCopying } from "./copy";
import { isOnline, isUnavailable } from "./network";
import { queue } from "./queue";
import { isSending } from "./sending";
import { statusWords } from "./status";

export const sync = {
  isOnline,
  words(): string {
    const items = queue.items();
    const refused = items.filter((one) => one.problem !== null).length;
    return statusWords({
      isOnline: isOnline(), isUnavailable: isUnavailable(), isSending: isSending(), waiting: items.length - refused, refused,
      isCopying: Boolean(account()) && isCopying(),
    });
  },
};
