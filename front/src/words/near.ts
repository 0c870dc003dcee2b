// What resembles a search that found nothing: a letter too many, too few, wrong, or in the wrong place.

import { fold } from "./sentences";

/** So much of a word must be in another one that it resembles. Two swapped letters of six leave as much. */
const enough = 0.55;

/** The rows of which every word of the search resembles one of the text, the nearest first. */
export function nearest<T>(search: string, rows: readonly T[], text: (row: T) => string): T[] {
  const wanted = fold(search).split(" ").map((typed) => [typed, pairs(typed)] as const);
  return rows.map((row) => {
    const words = text(row).split(/[\s'-]+/);
    const likes = wanted.map(([typed, given]) => Math.max(...words.map((one) => likeness(typed, given, one))));
    return { row, like: Math.min(...likes) };
  }).filter(({ like }) => like >= enough).sort((one, other) => other.like - one.like).slice(0, 3).map(({ row }) => row);
}

/** The part of the pairs of letters of a typed word that a word has, its beginning and its end among them. */
function likeness(typed: string, given: readonly string[], word: string): number {
  if (word.includes(typed)) return 1;
  const whole = ` ${word} `;
  return typed.length < 3 ? 0 : given.filter((one) => whole.includes(one)).length / given.length;
}

const pairs = (word: string): string[] => Array.from(`${word} `, (letter, at) => (word[at - 1] ?? " ") + letter);
