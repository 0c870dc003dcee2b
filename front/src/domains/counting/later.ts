// The script of the room: its screens, and what they alone need.

import "../../shared";

export { default as comptage } from "./screens/comptage";
