// The script of the room: lists, pages and forms of any entity that a domain declares.

import "../../shared";
import "./parts/records";

export { screens } from "./screens";
