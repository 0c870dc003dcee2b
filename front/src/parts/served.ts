// Which domains the installation has. The generated client of others does not name their methods, so they are called by name here.

import { ServiceError } from "learntrack";
import { client, isPassing } from "../store";

/** Whether the service has this list and the account may see it; undefined: there was no answer. */
async function isServed(list: string): Promise<boolean | undefined> {
  try {
    await (client.call as (method: string, params: object) => Promise<unknown>)(list, { first: 1, select: "{ id }" });
    return true;
  } catch (error) {
    return isPassing(error) || (error as ServiceError).is("unauthenticated") ? undefined : false;
  }
}

/** Those of these lists that the account may see. Without an answer it stays as it was `before`. */
export async function served(lists: readonly string[], before: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(lists.map(isServed));
  return lists.filter((list, at) => answers[at] ?? before.includes(list));
}
