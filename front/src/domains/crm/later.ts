// The script of the room: its screens, and what they alone need. A script for each screen would be more bytes in all, because each is
// compressed by itself.
//
// The order is one in which the script compresses well: what resembles each other stands within the window of gzip.

import "../../shared";

export { default as prospect } from "./screens/prospect";
export { default as session } from "./screens/session";
export { Beside as clientsBeside, default as clients } from "./screens/clients";
export { default as sessionForm } from "./screens/session-form";
export { openShare } from "./screens/session/share";
export { default as calendrier } from "./screens/calendrier";
export { Beside as ecolesBeside, default as ecoles } from "./screens/ecoles";
export { default as clientForm } from "./screens/client-form";
export { default as formateurForm } from "./screens/formateur-form";
export { default as prospectForm } from "./screens/prospect-form";
export { default as doublons } from "./screens/doublons";
export { default as formateur } from "./screens/formateur";
export { default as tableauDeBord } from "./screens/tableau-de-bord";
export { default as ecoleForm } from "./screens/ecole-form";
export { default as organisme } from "./screens/organisme";
export { default as client } from "./screens/client";
export { Beside as prospectsBeside, default as prospects } from "./screens/prospects";
export { default as ecole } from "./screens/ecole";
export { Beside as formateursBeside, default as formateurs } from "./screens/formateurs";
export { NearSessions } from "./parts/near-sessions";
export { default as programmes, programme, programmeForm } from "./screens/programmes";
export { watch } from "./parts/alerts";
export { finds } from "./parts/finds";
