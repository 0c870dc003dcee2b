// What resembles a search that found nothing: a letter too many, too few, wrong, or in the wrong place.

import { fold } from "./sentences";

/** So much of a word must be in another one that it resembles. Two swapped letters of six leave as much. */
const enough = 0.55;

/** The rows of which every word of the search resembles one of the text: the nearest first, and equally near ones in their order. */
export function nearest<T>(search: string, rows: readonly T[], text: (row: T) => string): T[] {
  const wanted = wordsOf(search);
  return rows.map((row) => {
    const found = wanted.map((word) => mostAlike(word, text(row)));
    return { row, isNear: found.every(({ like }) => like >= enough), near: found.reduce((sum, one) => sum + one.near, 0) };
  }).filter(({ isNear }) => isNear).sort((one, other) => other.near - one.near).slice(0, 3).map(({ row }) => row);
}

/** The search in the words of a text that resembles it: "transports" for "tranports". */
export function corrected(search: string, text: string): string {
  return wordsOf(search).map((wanted) => {
    const { word, like } = mostAlike(wanted, text);
    return like < 1 || !word.includes(wanted.typed) ? word : wanted.typed;
  }).join(" ");
}

interface Wanted { typed: string; pairs: readonly string[] }

/** The typed words, and their pairs of letters, the beginning and the end among them. */
const wordsOf = (search: string): Wanted[] => fold(search).split(" ").map((typed) => (
  { typed, pairs: Array.from(`${typed} `, (letter, at) => (typed[at - 1] ?? " ") + letter) }));

/** The word of a text that has most of the pairs of a typed one. Of several, the nearest is as long as that. */
function mostAlike({ typed, pairs }: Wanted, text: string): { word: string; like: number; near: number } {
  return text.split(/[\s'-]+/).map((word) => {
    const whole = ` ${word} `;
    const like = word.includes(typed) ? 1 : typed.length < 3 ? 0 : pairs.filter((one) => whole.includes(one)).length / pairs.length;
    return { word, like, near: like - Math.abs(word.length - typed.length) / 100 };
  }).reduce((best, one) => (one.near > best.near ? one : best));
}
