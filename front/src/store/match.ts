// Which sessions a filter takes and in which order, decided on the device as the service decides it.

import { daysOfMonth } from "../words/dates";
import { fold, matches } from "../words/sentences";
import type { SessionRow } from "./rows";

export interface SessionFilter {
  /** A month, "2026-11". Without it and without days, all sessions. */
  mois?: string | null;
  /** The first and the last day, instead of a month. */
  du?: string | null;
  au?: string | null;
  search?: string | null;
  formateur_id?: number | null;
  client_id?: number | null;
  ecole_id?: number | null;
  modalite?: "P" | "D" | null;
  /** From the earliest on; a month and a range of days do so without it. */
  upwards?: boolean | null;
}

export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The days that a filter covers; null for all. An end that is open is the first or last day there is. */
export function daysOf(filter: SessionFilter): Days | null {
  if (filter.mois) return { from: `${filter.mois}-01`, to: `${filter.mois}-${daysOfMonth(filter.mois)}` };
  if (!filter.du && !filter.au) return null;
  return { from: filter.du ?? "0000-01-01", to: filter.au ?? "9999-12-31" };
}

function goesUpwards(filter: SessionFilter): boolean {
  return filter.upwards ?? daysOf(filter) !== null;
}

export function matcher(filter: SessionFilter): (row: SessionRow) => boolean {
  const days = daysOf(filter);
  const search = filter.search ?? "";
  return (row) => {
    if (days && (row.date < days.from || row.date > days.to)) return false;
    if (filter.formateur_id && row.formateur_id !== filter.formateur_id) return false;
    if (filter.client_id && row.client_id !== filter.client_id) return false;
    if (filter.ecole_id && row.ecole_id !== filter.ecole_id) return false;
    if (filter.modalite && row.modalite !== filter.modalite) return false;
    return search === "" || matches(
      search, row.module, row.ref_contrat, row.lieu, row.formateur?.nom_complet, row.client?.raison_sociale);
  };
}

export function comparison(filter: SessionFilter): (one: SessionRow, other: SessionRow) => number {
  const sign = goesUpwards(filter) ? 1 : -1;
  return (one, other) => {
    if (one.date !== other.date) return one.date < other.date ? -sign : sign;
    if (one.debut !== other.debut) return one.debut < other.debut ? -1 : 1;
    return one.id - other.id;
  };
}

/** The parameters of `sessions.list`. */
export function request(filter: SessionFilter): { where: object; search: string | null; order_by: string[] } {
  const days = daysOf(filter);
  const where: { [column: string]: unknown } = {};
  if (days) {
    const date: { gte?: string; lte?: string } = {};
    if (days.from > "0000-01-01") date.gte = days.from;
    if (days.to < "9999-12-31") date.lte = days.to;
    where["date"] = date;
  }
  for (const column of ["formateur_id", "client_id", "ecole_id", "modalite"] as const) {
    if (filter[column]) where[column] = filter[column];
  }
  const search = filter.search?.trim() || null;
  return { where, search, order_by: [goesUpwards(filter) ? "date" : "-date", "debut"] };
}

/** The name under which an answer is kept. */
export function keyOf(filter: SessionFilter): string {
  return JSON.stringify([
    filter.mois || null, filter.du || null, filter.au || null, fold(filter.search ?? ""), filter.formateur_id || 0,
    filter.client_id || 0, filter.ecole_id || 0, filter.modalite || null, goesUpwards(filter),
  ]);
}
