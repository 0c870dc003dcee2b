// Names as messages spell them, and the known name that a mistyped one stands for.

const quoted = name => `«\u00a0${name.length > 80 ? `${name.slice(0, 79)}…` : name}\u00a0»`;

/** The line and the column of a place in a text, counted from 1. */
function placeIn(text, at) {
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return { line: lines.length, column: [...lines.at(-1)].length + 1 };
}

/** The name that `typed` probably stands for: few typing errors away, or longer by its end. Null if none is near. */
function nearest(typed, names) {
  const word = typed.toLowerCase();
  if (!word || word.length > 64) return null;
  let best = null, distance = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const name of names) {
    const found = typingErrors(word, name.toLowerCase());
    if (found < distance && found < Math.max(name.length, 2)) { best = name; distance = found; }
  }
  return best ?? (word.length < 3 ? null : names.find(name => name.toLowerCase().startsWith(word)) ?? null);
}

/** How many letters are to be added, removed, replaced or swapped with the next one to turn one word into the other. */
function typingErrors(one, other) {
  let before = [], last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(last[column] + 1, next[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1));
      if (row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        cost = Math.min(cost, before[column - 2] + 1);
      }
      next.push(cost);
    }
    [before, last] = [last, next];
  }
  return last[other.length];
}
