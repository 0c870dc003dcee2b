// A prospect at another stage. A loss needs its reason.

import { h, untracked } from "view";
import { command } from "../../../../parts/command";
import type { Command } from "../../../../parts/command";
import { openDialog } from "../../../../parts/dialog";
import { FormView, makeForm, text } from "../../../../parts/form";
import { say } from "../../../../parts/notices";
import { client } from "../../../../store";
import { stageName } from "../../parts/prospects";
import type { Prospect, Stage } from "../../parts/prospects";

/**
 * Moves the prospect on, and back again where there is a way; `refresh` asks for what is on screen again, also after a refusal.
 * In a list the prospect is named.
 */
export function advancing(row: () => Prospect, refresh: () => void, isNamed = false): Command<[etape: Stage, motif?: string]> {
  const move: Command<[etape: Stage, motif?: string]> = command(async (key, etape: Stage, motif?: string) => {
    const before = untracked(row);
    try {
      const after = await client.prospects.avancer({
        id: before.id, etape, ...(motif === undefined ? {} : { motif }), idempotency_key: key, select: "{ etapes_suivantes }",
      });
      const mayReturn = after.etapes_suivantes.includes(before.etape);
      say(`${isNamed ? `${before.raison_sociale}, é` : "É"}tape\u202f: ${stageName(etape)}`, mayReturn
        ? { label: "Annuler", run: () => void move(before.etape, before.etape === "perdu" ? before.motif! : undefined) }
        : undefined);
    } finally {
      refresh();
    }
  });
  return move;
}

export function askReason(lose: (motif: string) => Promise<boolean>): void {
  openDialog({
    heading: "Marquer comme perdu",
    body: (close) => {
      const form = makeForm<"motif">({
        sections: [{ fields: [text("motif", "Motif", { required: "Donnez le motif.", wide: true, hint: "Budget, concurrent, projet reporté…" })] }],
        send: ({ motif }) => lose(String(motif)),
        done: close, cancel: close,
      });
      return <FormView form={form} inDialog />;
    },
  });
}
