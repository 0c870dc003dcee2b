// The block of a day: a large figure with its weekday, as on the page of an agenda.

import { h } from "view";
import type { Child } from "view";
import { dayBlock, today } from "../words/dates";

export interface DayBlockProps {
  date: string;
  /** With the month, where no heading says it. */
  month?: boolean;
  large?: boolean;
}

/** Readers hear the date in the sentence beside it. */
export function DayBlock({ date, month, large }: DayBlockProps): Child {
  const block = dayBlock(date);
  return (
    <span class={`day-block${large ? " large" : ""}${date === today() ? " today" : ""}`} aria-hidden="true">
      <span class="weekday">{block.weekday}</span>
      <span class="figure">{block.figure}</span>
      {month ? <span class="weekday">{block.month}</span> : null}
    </span>
  );
}
