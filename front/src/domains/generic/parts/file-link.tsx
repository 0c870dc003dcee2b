// A file that a column or a member of an object names: a picture is seen, anything else is a link.

import { h } from "view";
import type { Child } from "view";
import { ask, client } from "../../../store";
import type { Field } from "../../../store/declared";
import { kindName } from "../../../words/files";

/** `caption`: what is said of it beside it; without it, its label. */
export function FileLink({ field, id, caption = field.label }: { field: Field; id: number; caption?: string | undefined }): Child {
  const link = ask(`file ${id}`, () => client.files.lien({ id }), ["files"]);
  return () => {
    const found = link.value();
    if (found === undefined) return <span class="quiet-text">{link.failure()?.message ?? "…"}</span>;
    const isPicture = found.media_type.startsWith("image/");
    const words = isPicture ? "Ouvrir en grand" : `Ouvrir le fichier (${kindName(found.media_type)})`;
    return (
      <span class="file-link">
        {isPicture ? <img class="generic-picture" src={found.url} alt={caption} /> : null}
        <a class="record-link" href={found.url} target="_blank" rel="noopener" aria-label={`${words}\u202f: ${caption}`}>{words}</a>
      </span>
    );
  };
}
