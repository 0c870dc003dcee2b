// The room's own script.

import { beside } from "../../../parts/later";

export const crm = () => beside(import("../later"));
