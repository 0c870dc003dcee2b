// The key for a new record, on the page of another one.

import { may } from "../store";
import { go, path } from "./place";
import { rooms } from "./shell";

/** From a record to a new one of its kind. */
export function openNew(): void {
  const list = /^\/(\w+)\/-?\d+$/u.exec(path())?.[1];
  const form = `/${list}/nouveau`;
  const isRecord = rooms.some(({ routes }) => routes.some((route) => route.list && route.path === form));
  if (isRecord && may(`${list}.create` as Parameters<typeof may>[0])) void go(form);
}
