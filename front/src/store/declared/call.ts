import { client } from "../client";

/** A method that not every installation has, so that the generated client may not know it. */
export const callDeclared = <T>(method: string, params: object): Promise<T> =>
  client.call(method as "rpc.discover", params as never) as unknown as Promise<T>;
