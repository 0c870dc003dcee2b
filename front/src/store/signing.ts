// Signing in and out by the cookie that no script reads.

import { ServiceError } from "learntrack";
import { door } from "./client";
import { isPassing } from "./failure";
import type { Opened } from "./tabs";

export interface SignedIn extends Pick<Opened, "user" | "company" | "companies"> {
  access_token: string;
  operator?: boolean;
}

export type Cookie = "persistent" | "session";

/** Whether the service refuses a company because the account is no member of it. The sign-in is as it was. */
export const isForeign = (error: unknown): boolean =>
  error instanceof ServiceError && error.is("invalid_params") && error.data.errors.some(({ path }) => path === "/company_id");

export function login(email: string, password: string, cookie: Cookie): Promise<SignedIn> {
  return door.auth.login({ email, password, cookie });
}

/** A token of this company, or without it of one that the service chooses; null without a sign-in. Fails if the service does not answer,
 * and where it does not let the account enter the company. */
export async function renewed(company: number | null): Promise<SignedIn | null> {
  try {
    return await door.auth.refresh(company === null ? {} : { company_id: company });
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
