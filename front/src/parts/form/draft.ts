// Drafts: what is typed in a form stays on this device until it is sent or abandoned. Forms of the first page have none.

import { onCleanup, untracked } from "view";
import { drafts } from "../../store";
import type { Raw } from "./field";
import { same, watch } from "./state";
import type { Drafting, Typed } from "./state";

interface Draft {
  raws: Record<string, Raw>;
  /** What the fields showed before anything was typed. Drafts of earlier versions do not say it. */
  first?: Record<string, Raw>;
  base: unknown;
}

export interface DraftSpec {
  key: string;
  /** The record that is typed over. */
  base?: unknown;
  /** What is typed is sent over this version of the record from now on. */
  restore?: (base: unknown) => void;
}

/** Keeps what is typed under a key, with the record it began from, and brings it back. */
export function keepDraft({ key, base: began, restore }: DraftSpec): (form: Typed) => Drafting {
  return ({ fields, raw, first, dirty, restored }) => {
    let base = began;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isTaken = false;
    const begin = (on: unknown): void => {
      base = on;
      restore?.(on);
    };
    const forget = (): void => {
      clearTimeout(timer);
      void drafts.remove(key);
    };
    const keep = (): void => {
      if (isTaken || !dirty()) return;
      const kept: Draft = { raws: Object.fromEntries(fields.map(({ name }) => [name, raw(name)()])), first: Object.fromEntries(first), base };
      void drafts.set(key, kept);
    };
    let ended = false;
    onCleanup(() => {
      ended = true;
      clearTimeout(timer);
      untracked(keep);
    });
    void drafts.get<Draft>(key).then((kept) => {
      if (kept === undefined || ended || untracked(dirty)) return;
      const isOfRecord = kept.base !== undefined && kept.base !== null;
      for (const field of fields) {
        const typed = kept.raws[field.name];
        if (typed === undefined) continue;
        // What nobody typed here is as others have stored it since: the old value would be written over theirs.
        const before = isOfRecord ? kept.first?.[field.name] : undefined;
        if (before === undefined || !same(field, typed, before)) raw(field.name).set(typed);
      }
      // It is what is stored by now.
      if (!untracked(dirty)) return forget();
      if (isOfRecord) begin(kept.base);
      restored.set(true);
    });
    // After each pause, so that a crash or a closed tab loses a moment at most.
    watch(() => fields.map(({ name }) => raw(name)()), () => {
      clearTimeout(timer);
      timer = setTimeout(() => untracked(keep), 400);
    });
    return {
      forget,
      reset: () => {
        if (base !== began) begin(began);
        forget();
      },
      take: () => {
        isTaken = true;
        forget();
      },
      keep: () => {
        isTaken = false;
        untracked(keep);
      },
    };
  };
}

