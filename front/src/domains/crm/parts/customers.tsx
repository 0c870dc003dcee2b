// Clients and prospects: two lists beside each other, as tabs.

import { h } from "view";
import type { Child } from "view";
import { path } from "../../../parts/place";
import { may } from "../../../store";

const tabs = [["/clients", "Clients"], ["/prospects", "Prospects"]] as const;

export function CustomerTabs(): Child {
  if (!may("prospects.list")) return null;
  return (
    <nav class="segments tabs" aria-label="Clients et prospects">
      {tabs.map(([href, label]) => (
        <a class="segment" href={href} aria-current={() => (path() === href ? "page" : null)}><span>{label}</span></a>
      ))}
    </nav>
  );
}
