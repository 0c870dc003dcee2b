// The words of the status "Synchronisation".

import { count } from "../words/sentences";

export interface Status {
  readonly isOnline: boolean;
  /** Whether the service is reached, and answers that it cannot serve. */
  readonly isUnavailable: boolean;
  readonly isSending: boolean;
  /** The writes that wait to be sent, and those that need a decision. */
  readonly waiting: number;
  readonly refused: number;
  /** Whether what the device shows without a network is still being fetched. */
  readonly isCopying: boolean;
}

export function statusWords({ isOnline, isUnavailable, isSending, waiting, refused, isCopying }: Status): string {
  const words: string[] = [];
  if (!isOnline) words.push("Hors connexion");
  else if (isUnavailable) words.push("Service indisponible");
  if (waiting > 0) {
    words.push(isOnline && isSending ? "Envoi…" : count(waiting, "modification en attente", "modifications en attente"));
  }
  if (refused > 0) words.push(count(refused, "modification à corriger", "modifications à corriger"));
  if (isCopying && isOnline && !isUnavailable) words.push("Copie hors connexion en cours");
  return words.length > 0 ? words.join(" · ") : "À jour";
}
