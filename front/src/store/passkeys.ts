// Signing in with a passkey, which the first page does without: WebAuthn's binary members travel as base64url.

import { enterBy } from "./account";
import { client, door } from "./client";
import { Unable } from "./failure";
import type { SignedIn } from "./signing";

interface Descriptor {
  type: "public-key";
  id: string;
  transports?: AuthenticatorTransport[];
}

interface Options {
  create: Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> & {
    challenge: string;
    user: { id: string; name: string; displayName: string };
    excludeCredentials: Descriptor[];
  } | null;
  get: Omit<PublicKeyCredentialRequestOptions, "challenge" | "allowCredentials"> & { challenge: string } | null;
}

export function bytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
}

export function text(buffer: ArrayBuffer): string {
  const letters = [...new Uint8Array(buffer)].map((byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export async function options(): Promise<Options> {
  return await client.call("auth.passkey_options" as never, {} as never) as Options;
}

/** What the system's dialog answers; null when the reader has closed it. Passkeys are for the pages of one host. */
export function chosen(answer: Promise<Credential | null>, host: string | undefined): Promise<PublicKeyCredential | null> {
  return (answer as Promise<PublicKeyCredential | null>).catch((error: unknown) => {
    if (!(error instanceof DOMException)) throw error;
    if (error.name === "NotAllowedError") return null;
    throw new Unable(error.name === "SecurityError"
      ? `Les clés d’accès de ce service ne marchent qu’à l’adresse ${host ?? "publique"}\u202f: ouvrez-le à cette adresse.`
      : "Cet appareil ne peut pas utiliser de clé d’accès.");
  });
}

/** A credential as `PublicKeyCredential.toJSON` writes it, which older browsers lack. */
export function written<Response>({ id, rawId, type }: PublicKeyCredential, response: Response): object {
  return { id, rawId: text(rawId), type, response };
}

/** The credential of one of the reader's passkeys; null if none was chosen. */
async function presentedPasskey(): Promise<object | null> {
  const { get } = await options();
  if (get === null) return null;
  const publicKey = { ...get, allowCredentials: [], challenge: bytes(get.challenge) };
  const credential = await chosen(navigator.credentials.get({ publicKey }), get.rpId);
  if (credential === null) return null;
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response as AuthenticatorAssertionResponse;
  const response = {
    clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature),
    ...(userHandle ? { userHandle: text(userHandle) } : {}),
  };
  return written(credential, response);
}

/** Signs in with a passkey. False if the reader chose none. */
export async function signInWithPasskey(keep: boolean): Promise<boolean> {
  const credential = await presentedPasskey();
  if (credential === null) return false;
  await enterBy(keep, async (cookie) => await door.call("auth.login_with_passkey" as never, { credential, cookie } as never) as SignedIn);
  return true;
}
