// What no first page needs: one script that is loaded when the first page is there. A script for each screen would be more bytes
// in all, because each is compressed by itself. It imports the entry, so that the first page needs one script and no more.
//
// The order is one in which the script compresses well: what resembles each other stands within the window of gzip.

import "./main";
import "./parts/further-icons";

export { nearest } from "./words/near";
export { default as prospect } from "./domains/crm/screens/prospect";
export { default as session } from "./domains/crm/screens/session";
export { Beside as ClientsBeside, default as clients } from "./domains/crm/screens/clients";
export * as swipe from "./parts/swipe";
export { default as sessionForm } from "./domains/crm/screens/session-form";
export { openShare } from "./domains/crm/screens/session/share";
export * as conflict from "./parts/form/conflict";
export * as removal from "./parts/form/remove";
export { default as calendrier } from "./domains/crm/screens/calendrier";
export { Beside as EcolesBeside, default as ecoles } from "./domains/crm/screens/ecoles";
export { showPalette } from "./screens/aller-a";
export { default as clientForm, newRecord as newClient } from "./domains/crm/screens/client-form";
export { default as formateurForm, newRecord as newFormateur } from "./domains/crm/screens/formateur-form";
export { default as prospectForm } from "./domains/crm/screens/prospect-form";
export { default as doublons } from "./domains/crm/screens/doublons";
export { default as formateur } from "./domains/crm/screens/formateur";
export { default as tableauDeBord } from "./domains/crm/screens/tableau-de-bord";
export { default as journal } from "./screens/journal";
export { default as ecoleForm, newRecord as newEcole } from "./domains/crm/screens/ecole-form";
export { default as organisme } from "./domains/crm/screens/organisme";
export { default as utilisateurForm } from "./screens/utilisateur-form";
export { default as client } from "./domains/crm/screens/client";
export { Beside as ProspectsBeside, default as prospects } from "./domains/crm/screens/prospects";
export { Beside as UtilisateursBeside, default as utilisateurs } from "./screens/utilisateurs";
export { default as ecole } from "./domains/crm/screens/ecole";
export { Beside as FormateursBeside, default as formateurs } from "./domains/crm/screens/formateurs";
export { NearSessions } from "./domains/crm/parts/near-sessions";
export { default as envois } from "./screens/envois";
export { default as profil } from "./screens/profil";
export { default as attente, refusal } from "./screens/attente";
export { default as introuvable } from "./screens/introuvable";
export { default as programmes, programme, programmeForm } from "./domains/crm/screens/programmes";
export * as alerts from "./domains/crm/parts/alerts";
export * as counting from "./domains/counting/parts/counting";
export { showShortcuts } from "./screens/raccourcis";
export { default as comptage } from "./domains/counting/screens/comptage";
