// A file that a column names: a picture is seen, anything else is a link.

import { h } from "view";
import type { Child } from "view";
import { ask, client } from "../../../store";
import type { Field } from "../../../store/declared";
import { kindName } from "../../../words/files";

export function FileLink({ field, id }: { field: Field; id: number }): Child {
  const link = ask(`file ${id}`, () => client.files.lien({ id }), ["files"]);
  return () => {
    const found = link.value();
    if (found === undefined) return <span class="quiet-text">{link.failure()?.message ?? "…"}</span>;
    const isPicture = found.media_type.startsWith("image/");
    return (
      <span class="file-link">
        {isPicture ? <img class="generic-picture" src={found.url} alt={field.label} /> : null}
        <a class="record-link" href={found.url} target="_blank" rel="noopener">{isPicture ? "Ouvrir en grand" : `Ouvrir le fichier (${kindName(found.media_type)})`}</a>
      </span>
    );
  };
}
