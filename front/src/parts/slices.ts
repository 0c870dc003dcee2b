// How much of a long list is made: the first screenful at once, the rest in slices, so that a press in between is answered. Of a
// list of thousands only what is near the thumb is made, so that a search takes out hundreds of rows and not all of them.

import { effect, signal } from "view";

/** The rows of the first slice. */
export const firstRows = 60;
/** A list with more rows leaves those that are not seen undrawn. */
export const manyRows = 200;
/** The milliseconds that one slice may take. */
const sliceTime = 40;

/**
 * The number of rows to make, of those that there are. It follows `count`.
 *
 * @param taken runs before many rows are taken out at once, as a search does. What comes back comes in slices, too.
 * @param wanted how many are made of those that there are; the rest waits.
 */
export function slices(count: () => number, taken: () => void, wanted: () => number = () => Infinity): () => number {
  const limit = signal(firstRows);
  let slice = firstRows;
  effect(() => {
    const all = count();
    const made = limit();
    const most = Math.min(all, wanted());
    if (all < made - manyRows / 2) {
      taken();
      limit.set(firstRows);
    } else if (all < made) limit.set(Math.max(firstRows, all));
    if (most <= made) return;
    const timer = setTimeout(() => {
      const began = performance.now();
      // Never more than there are: that would look as if many had been taken out.
      limit.set(Math.min(made + slice, most));
      slice = Math.ceil(slice * Math.max(0.25, Math.min(2, sliceTime / (performance.now() - began))));
    }, 16);
    return () => clearTimeout(timer);
  });
  return limit;
}
