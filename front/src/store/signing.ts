// Signing in and out by the cookie that no script reads.

import { ServiceError } from "learntrack";
import { door } from "./client";
import { isPassing } from "./failure";
import type { Opened } from "./tabs";

export interface SignedIn {
  access_token: string;
  user: Opened["user"];
}

type Cookie = "persistent" | "session";

export function login(email: string, password: string, cookie: Cookie): Promise<SignedIn> {
  return door.auth.login({ email, password, cookie });
}

export async function loginWithPasskey(credential: object, cookie: Cookie): Promise<SignedIn> {
  return await door.call("auth.login_with_passkey" as never, { credential, cookie } as never) as SignedIn;
}

/** Null without a sign-in. Fails if the service does not answer. */
export async function renewed(): Promise<SignedIn | null> {
  try {
    return await door.auth.refresh({});
  } catch (error) {
    if (error instanceof ServiceError && error.is("unauthenticated")) return null;
    throw error;
  }
}

/** Fails if the service does not answer. */
export async function logout(): Promise<void> {
  try {
    await door.auth.logout({});
  } catch (error) {
    // A refusal means that the sign-in has ended already.
    if (!(error instanceof ServiceError) || isPassing(error)) throw error;
  }
}
