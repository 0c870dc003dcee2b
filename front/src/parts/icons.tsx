// Icons of our own, drawn on 24 × 24 with one line.

import { h } from "view";
import type { Child } from "view";
import type { further } from "./further-icons";

/** Those of the first page. */
const paths = {
  sessions: "M5 4.5h14a1.5 1.5 0 0 1 1.5 1.5v13a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19V6A1.5 1.5 0 0 1 5 4.5M3.5 9h17M8 2.5v4M16 2.5v4M7.5 13h4M7.5 16.5h7",
  calendar: "M5 4.5h14A1.5 1.5 0 0 1 20.5 6v13a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19V6A1.5 1.5 0 0 1 5 4.5M3.5 9h17M8 2.5v4M16 2.5v4M8 13h.01M12 13h.01M16 13h.01M8 17h.01M12 17h.01",
  dashboard: "M4 20V11M10 20V4M16 20v-6.5M21 20.5H3",
  formateurs: "M12 11.5a3.75 3.75 0 1 0 0-7.5a3.75 3.75 0 0 0 0 7.5M4.5 20.5a7.5 7.5 0 0 1 15 0",
  clients: "M4 20.5V5a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1v15.5M14 9h5a1 1 0 0 1 1 1v10.5M2.5 20.5h19M7.5 8h3M7.5 12h3M7.5 16h3M17 13h.01M17 16.5h.01",
  ecoles: "M12 4L2 9l10 5l10-5ZM6 11.5V16.5c1.5 1.5 3.5 2.25 6 2.25s4.5-.75 6-2.25V11.5M21.5 9.5V15.5",
  users: "M9 11.5a3.5 3.5 0 1 0 0-7a3.5 3.5 0 0 0 0 7M2.5 20a6.5 6.5 0 0 1 13 0M15.5 4.800a3.5 3.5 0 0 1 0 6.400M18 14.200A6.5 6.5 0 0 1 21.5 20",
  journal: "M12 7.5V12l3 2M3.5 12a8.5 8.5 0 1 0 2.600-6.100M3.5 4v4h4",
  counting: "M9 6a2 2 0 1 0 0-4a2 2 0 0 0 0 4M9 8.5v7M6 22l3-6.5l3 6.5M5 12l4-3l4 3M17 7v10M17 7l-2.5 2.5M17 7l2.5 2.5",
  domain: "M4 4h7v7H4ZM13 4h7v7h-7ZM4 13h7v7H4ZM13 13h7v7h-7Z",
  profile: "M12 21a9 9 0 1 0 0-18a9 9 0 0 0 0 18M12 12.5a3 3 0 1 0 0-6a3 3 0 0 0 0 6M6.5 19a5.800 5.800 0 0 1 11 0",
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14a7 7 0 0 0 0 14M16 16l4.5 4.5",
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7l7 7",
  left: "M15 5l-7 7l7 7",
  right: "M9 5l7 7l-7 7",
  edit: "M4 20l.8-4.200L15.5 5a1.900 1.900 0 0 1 2.700 0l.8.8a1.900 1.900 0 0 1 0 2.700L8.200 19.200ZM13.5 7l3.5 3.5",
  share: "M12 15.5V3.5M7.5 7.5L12 3l4.5 4.5M6 11.5H5a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-7a1 1 0 0 0-1-1h-1",
  trash: "M4 6.5h16M9 6.5V4a.75.75 0 0 1 .75-.75h4.5A.75.75 0 0 1 15 4v2.5M6 6.5l1 13a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1l1-13M10 10.5v6M14 10.5v6",
  present: "M12 21.5s7-6.200 7-11.5a7 7 0 1 0-14 0c0 5.300 7 11.5 7 11.5M12 12.5a2.5 2.5 0 1 0 0-5a2.5 2.5 0 0 0 0 5",
  remote: "M3.5 5h17a.5.5 0 0 1 .5.5v10a.5.5 0 0 1-.5.5h-17a.5.5 0 0 1-.5-.5v-10a.5.5 0 0 1 .5-.5M8.5 20h7M12 16v4",
  filter: "M4 6h16M7 12h10M10 18h4",
  refresh: "M20 11.5A8 8 0 0 0 5.5 7L3.5 9M3.5 4v5h5M4 12.5A8 8 0 0 0 18.5 17l2-2M20.5 20v-5h-5",
  warning: "M12 4L2.5 20h19ZM12 10v4.5M12 17.25h.01",
  key: "M8 16.5a4.5 4.5 0 1 0 0-9a4.5 4.5 0 0 0 0 9M12.300 11.200H21.5M18 11.5v3.5M21 11.5v2",
  mark: "M5 3.5h14v17l-7-5l-7 5Z",
} as const;

export type IconName = keyof typeof paths | keyof typeof further;

/** The icons of later pages come with them. */
export const addIcons = (more: typeof further): void => void Object.assign(paths, more);

/** Icons repeat what words beside them say, so no reader hears them. */
export function Icon({ name, class: more }: { name: IconName; class?: string }): Child {
  return (
    <svg class={`icon-image${more ? ` ${more}` : ""}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name as keyof typeof paths]} />
    </svg>
  );
}
