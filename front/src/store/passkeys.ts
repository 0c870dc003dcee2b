// Signing in with a passkey: WebAuthn's binary members travel as base64url.

import { client } from "./client";
import { Unable } from "./failure";

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

function bytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
}

function text(buffer: ArrayBuffer): string {
  const letters = [...new Uint8Array(buffer)].map((byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function options(): Promise<Options> {
  return await client.call("auth.passkey_options" as never, {} as never) as Options;
}

/** What the system's dialog answers; null when the reader has closed it. Passkeys are for the pages of one host. */
function chosen(answer: Promise<Credential | null>, host: string | undefined): Promise<PublicKeyCredential | null> {
  return (answer as Promise<PublicKeyCredential | null>).catch((error: unknown) => {
    if (!(error instanceof DOMException)) throw error;
    if (error.name === "NotAllowedError") return null;
    throw new Unable(error.name === "SecurityError"
      ? `Les clés d’accès de ce service ne marchent qu’à l’adresse ${host ?? "publique"}\u202f: ouvrez-le à cette adresse.`
      : "Cet appareil ne peut pas utiliser de clé d’accès.");
  });
}

/** A credential as `PublicKeyCredential.toJSON` writes it, which older browsers lack. */
function written<Response>({ id, rawId, type }: PublicKeyCredential, response: Response): object {
  return { id, rawId: text(rawId), type, response };
}

/** The credential of one of the reader's passkeys; null if none was chosen. */
export async function presentedPasskey(): Promise<object | null> {
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

/** Makes a passkey on this device and gives it to the account. False if the reader made none. */
export async function addPasskey(name: string): Promise<boolean> {
  const { create } = await options();
  if (create === null) return false;
  const publicKey = {
    ...create, challenge: bytes(create.challenge), user: { ...create.user, id: bytes(create.user.id) },
    excludeCredentials: create.excludeCredentials.map((one) => ({ ...one, id: bytes(one.id) })),
  };
  const credential = await chosen(navigator.credentials.create({ publicKey }), create.rp.id);
  if (credential === null) return false;
  const { clientDataJSON, attestationObject, getTransports } = credential.response as AuthenticatorAttestationResponse & {
    getTransports?: () => string[];
  };
  const response = {
    clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject),
    transports: getTransports?.call(credential.response) ?? [],
  };
  await client.call("auth.add_passkey" as never, { name, credential: written(credential, response) } as never);
  return true;
}
