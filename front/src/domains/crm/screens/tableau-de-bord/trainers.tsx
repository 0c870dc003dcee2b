// The trainers of a month, by what their sessions bring.

import { h } from "view";
import type { Child } from "view";
import { Empty } from "../../../../parts/list";
import { length, monthName } from "../../../../words/dates";
import { euros } from "../../../../words/money";
import { whole } from "../../../../words/sentences";

interface Row {
  formateur_id: number | null;
  "formateur.nom_complet": string | null;
  count: number;
  sum: { tarif_client: number | null; marge: number | null; duree_minutes: number | null };
}

export function Trainers({ rows, month }: { rows: () => readonly Row[]; month: string }): Child {
  return (
    <div class="card trainers">
      <h2 id="trainers-heading">Meilleurs formateurs</h2>
      {() => (rows().length === 0 ? <div class="empty"><Empty text={`Aucune session avec un formateur en ${monthName(month)}.`} /></div> : null)}
      <div class="numbers-place">
        <table class="numbers" aria-labelledby="trainers-heading">
          <thead>
            <tr>
              <th scope="col">Formateur</th><th scope="col">Sessions</th><th scope="col" class="wide-column">Durée</th>
              <th scope="col">Chiffre d’affaires</th><th scope="col">Marge</th>
            </tr>
          </thead>
          <tbody>
            {() => rows().map((row) => (
              <tr>
                <th scope="row"><a href={`/formateurs/${row.formateur_id}`}>{row["formateur.nom_complet"]}</a></th>
                <td>{whole(row.count)}</td>
                <td class="wide-column">{length(row.sum.duree_minutes ?? 0)}</td>
                <td>{euros(row.sum.tarif_client ?? 0)}</td>
                <td>{euros(row.sum.marge ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
