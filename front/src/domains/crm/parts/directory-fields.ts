// Fields that several directories have.

import { digits, email, telephone, text } from "../../../parts/form";
import type { Section } from "../../../parts/form";

export type AddressName = "rue" | "code_postal" | "ville";
export type ContactName = "nom_contact" | "email" | "telephone";

export const addressSection = (): Section<AddressName> => ({
  heading: "Adresse",
  fields: [
    text("rue", "Rue", { wide: true, autocomplete: "off" }),
    text("code_postal", "Code postal", { maxlength: 10 }),
    text("ville", "Ville", { maxlength: 100 }),
  ],
});

export const contactSection = (): Section<ContactName> => ({
  heading: "Contact",
  fields: [
    text("nom_contact", "Nom du contact", { maxlength: 150, wide: true }),
    email("email", "Adresse e-mail"),
    telephone("telephone", "Téléphone"),
  ],
});

export const siret = () => digits("siret", "SIRET", { maxlength: 20 });
