// The domain of people counters, which only some installations serve. The generated client of others does not name its
// methods, so they are called by name here.

import { client } from "../../../store";
import { press } from "../../../store/pressing";

export interface Place { id: number; name: string; max_capacity: number; timezone: string }

/** Corrects the count of a place by hand: each press counts once. */
export const correctCount = ({ id, name }: Place, delta: 1 | -1): ReturnType<typeof press> =>
  press({
    method: "entries.override", table: "entries", params: { location_id: id, delta },
    words: { title: `${delta > 0 ? "Entrée" : "Sortie"} de «\u00a0${name}\u00a0»` },
  });

export interface CounterState {
  id: number;
  current_count: number;
  status: "ok" | "warning" | "full";
  occupancy_percent: number;
  remaining: number;
  last_event_at: string | null;
  is_online: boolean;
  gateway_conflict: boolean;
  location: Place;
}

export interface Figures {
  total_in: number;
  total_out: number;
  peak_occupancy: number;
  peak_at: string | null;
  average_occupancy: number;
  change_total_in: number;
  change_total_out: number;
  change_peak_occupancy: number;
  change_average_occupancy: number;
}

export interface Bucket {
  id: number;
  bucket_start: string;
  bucket_end: string;
  operational_day: string;
  total_in: number;
  total_out: number;
  peak_occupancy: number;
  average_occupancy: number;
  closing_count: number;
}

export interface Issue {
  id: number;
  kind: "missing_events" | "sequence_reset" | "clock_skew" | "gateway_conflict" | "overcrowding" | "stale_device";
  starts_at: string;
  ends_at: string | null;
  value: number;
  device: { name: string } | null;
}

export type Range = "today" | "last_7" | "last_30" | "year";

interface Page<T> { items: readonly T[]; has_next_page: boolean }

/** A method of the domain. */
const call = client.call.bind(client) as unknown as <T>(method: string, params: object) => Promise<T>;

export async function states(): Promise<readonly CounterState[]> {
  const select = `{ id current_count status occupancy_percent remaining last_event_at is_online gateway_conflict
    location { id name max_capacity timezone } }`;
  return (await call<Page<CounterState>>("counter_states.list", { first: 200, select })).items;
}

export async function figures(place: number, range: Range): Promise<Figures | null> {
  return (await call<Page<Figures>>("counter_kpis.list", { location_id: place, range, first: 1 })).items[0] ?? null;
}

export async function buckets(place: number, range: Range): Promise<readonly Bucket[]> {
  return (await call<Page<Bucket>>("counter_charts.list", { location_id: place, range, first: 100 })).items;
}

export async function issues(place: number, range: Range): Promise<readonly Issue[]> {
  const select = "{ id kind starts_at ends_at value device { name } }";
  return (await call<Page<Issue>>("counter_issues.list", { location_id: place, range, first: 200, select })).items;
}

/** Keeps the figures of the day so far, and begins again at zero. */
export function endDay(place: number, key: string): Promise<unknown> {
  return call("locations.end_day", { id: place, idempotency_key: key });
}
