// What resembles a search that found nothing: a letter too many, too few, wrong, or in the wrong place.

import { fold } from "./sentences";

/** The rows of which every word of the search resembles one of the text, the nearest first. */
export function nearest<T>(search: string, rows: readonly T[], text: (row: T) => string, most = 3): T[] {
  const wanted = fold(search).split(" ").filter((word) => word !== "");
  if (wanted.length === 0) return [];
  const found: { row: T; distance: number }[] = [];
  for (const row of rows) {
    const words = text(row).split(/[\s'-]+/);
    let distance = 0;
    for (const word of wanted) {
      distance += Math.min(...words.map((one) => wordDistance(word, one)));
      if (distance === Infinity) break;
    }
    if (distance < Infinity) found.push({ row, distance });
  }
  return found.sort((one, other) => one.distance - other.distance).slice(0, most).map(({ row }) => row);
}

/** How many letters a typed word is away from a word or from its beginning; Infinity if it resembles neither. */
function wordDistance(typed: string, word: string): number {
  if (word.includes(typed)) return 0;
  const allowed = typed.length < 3 ? 0 : typed.length < 6 ? 1 : 2;
  let least = Infinity;
  // Who is still typing has the beginning of the word only.
  for (let length = typed.length - allowed; length <= typed.length + allowed && length <= word.length; length++) {
    least = Math.min(least, distance(typed, word.slice(0, length)));
  }
  return least <= allowed ? least : Infinity;
}

/** Letters to insert, to leave out, to replace, or to swap with their neighbour. */
function distance(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min(last[j - 1]! + (isSame ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[other.length]!;
}
