// What no first page needs and screens of several rooms share, and the kernel's own screens: one script, which is loaded with the first
// room, or when a dialog or a gesture needs it. It imports the entry, so that the first page needs one script and no more.
//
// The order is one in which the script compresses well: what resembles each other stands within the window of gzip.

import "./main";
import "./parts/further-icons";
// What rooms alone use stands here when it is for any room, or a script of its own would be made of what two of them have.
import "./parts/curve";
import "./parts/form";
import "./parts/record-history";
import "./parts/section";
import { followAlerts } from "./parts/alerting";
import { followServed } from "./parts/served";
import { rooms } from "./parts/shell";
import { followActivity } from "./store/activity";
import { followOthers } from "./store/beside";
import { followLeaving } from "./store/leaving";

export { nearest } from "./words/near";
export * as swipe from "./parts/swipe";
export * as conflict from "./parts/form/conflict";
export * as removal from "./parts/form/remove";
export { showPalette } from "./screens/aller-a";
export { default as journal } from "./screens/journal";
export { default as utilisateurForm } from "./screens/utilisateur-form";
export { Beside as utilisateursBeside, default as utilisateurs } from "./screens/utilisateurs";
export { default as envois } from "./screens/envois";
export { default as taches } from "./screens/taches";
export { default as societes } from "./screens/societes";
export { default as profil } from "./screens/profil";
export { default as attente, refusal } from "./screens/attente";
export { forgotten, linkPage } from "./screens/lien";
export { default as introuvable } from "./screens/introuvable";
export { default as fermee } from "./screens/fermee";
export { openNew } from "./parts/open-new";
export { signInWithPasskey } from "./store/passkeys";
export { showDomains } from "./parts/domains";
export { registerWorker } from "./parts/register-worker";
export { showShortcuts } from "./screens/raccourcis";

/** What follows the account from the moment in which its first screen is there. */
export function followAll(): void {
  for (const follow of [followServed, followActivity, followLeaving, followOthers]) follow();
  for (const { watch } of rooms) if (watch) followAlerts(watch);
}
