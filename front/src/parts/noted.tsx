// What the service has noted of a message that has not left.

import { h } from "view";
import type { Child } from "view";
import { failureWords } from "../words/failures";

/** A sentence, or the note in its own language. */
export function Noted({ error }: { error: string }): Child {
  const words = failureWords(error);
  return "text" in words ? words.text : ["Détail technique\u202f: «\u00a0", <span lang="en">{words.english}</span>, "\u00a0»."];
}
