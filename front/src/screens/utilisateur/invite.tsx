// Inviting a person to the company that is shown: a mail says so, and the person joins.

import { h } from "view";
import { openDialog } from "../../parts/dialog";
import { email, FormView, makeForm, radios, text } from "../../parts/form";
import type { Form } from "../../parts/form";
import { mayAbandon } from "../../parts/form/form";
import { say } from "../../parts/notices";
import { askAgain, client } from "../../store";
import { keyOf } from "./held-roles";

/** The base roles, as one chooses. */
export const roleField = radios("role", "Rôle", [{ value: "user", label: "Utilisateur" }, { value: "admin", label: "Administrateur" }]);

export function invite(): void {
  const key = keyOf();
  let form!: Form<"email" | "username" | "role">;
  openDialog({
    heading: "Inviter",
    mayClose: () => mayAbandon(form),
    body: (close) => {
      form = makeForm({
        sections: [{
          fields: [
            email("email", "Adresse e-mail", { required: "Saisissez une adresse e-mail.", wide: true, hint: "Un lien pour rejoindre la société y est envoyé, valable sept jours." }),
            text("username", "Nom d’utilisateur", { maxlength: 100, wide: true }),
            roleField,
          ],
        }],
        values: { role: "user" },
        submit: "Inviter",
        send: async ({ email: address, username, role }) => {
          const values = { email: String(address), username: username as string | null, role: role as "admin" | "user" };
          await client.users.create({ values, idempotency_key: key(values), select: "{ id }" });
          return true;
        },
        done: () => {
          askAgain(["users"]);
          close();
          say("Invitation enregistrée");
        },
        cancel: () => void mayAbandon(form).then((yes) => { if (yes) close(); }),
      });
      return <FormView form={form} inDialog />;
    },
  });
}
