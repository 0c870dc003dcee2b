// The sentences that name the rows of directories, and their letters.

import { fold, sentence } from "../../../words/sentences";

/** "Élodie Dupont, SwiftUI, Externe". */
export function formateurSentence(row: { nom_complet: string; specialite: string | null; exterieur: 0 | 1 }): string {
  return sentence(row.nom_complet, row.specialite, row.exterieur ? "Externe" : "Interne");
}

/** "Barreau & Fils, Nîmes". */
export function clientSentence(row: { raison_sociale: string; ville: string | null }): string {
  return sentence(row.raison_sociale, row.ville);
}

export function ecoleSentence(row: { nom: string; ville: string | null }): string {
  return sentence(row.nom, row.ville);
}

/** The letter of an alphabetical index: A to Z, else "#". */
export function letter(name: string): string {
  const first = fold(name.trim().slice(0, 8)).charAt(0).toUpperCase();
  return /[A-Z]/.test(first) ? first : "#";
}
