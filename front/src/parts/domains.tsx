// The way from one domain to another, where an installation serves several.

import { h } from "view";
import type { Child } from "view";
import { openDialog } from "./dialog";
import { domain, homeOf, served } from "./shell";

/** Links to the first pages of the domains. */
export function DomainLinks(): Child {
  return () => (
    <ul class="domain-links" role="list">
      {served().map(({ name, label }) => (
        <li><a href={homeOf(name)} aria-current={domain()?.name === name ? "true" : null}>{label}</a></li>
      ))}
    </ul>
  );
}

export function showDomains(): void {
  openDialog({ heading: "Domaines", body: () => <DomainLinks /> });
}
