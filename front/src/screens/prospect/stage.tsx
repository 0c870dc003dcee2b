// A prospect at another stage. A loss needs its reason.

import { h } from "view";
import { command } from "../../parts/command";
import type { Command } from "../../parts/command";
import { openDialog } from "../../parts/dialog";
import { FormView, makeForm, text } from "../../parts/form";
import { say } from "../../parts/notices";
import { stageName } from "../../parts/prospects";
import type { Prospect, Stage } from "../../parts/prospects";
import { client } from "../../store";

/** Moves the prospect on; `refresh` asks for what is on screen again, also after a refusal. */
export function advancing(row: () => Prospect, refresh: () => void): Command<[etape: Stage, motif?: string]> {
  return command(async (key, etape: Stage, motif?: string) => {
    try {
      await client.prospects.avancer({
        id: row().id, etape, ...(motif === undefined ? {} : { motif }), idempotency_key: key, select: "{ id }",
      });
      say(`Étape\u202f: ${stageName(etape)}`);
    } finally {
      refresh();
    }
  });
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
