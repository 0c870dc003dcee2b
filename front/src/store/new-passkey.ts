// Adding a passkey to the account. The first page only signs in with one.

import { client } from "./client";
import { bytes, chosen, options, text, written } from "./passkeys";

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
