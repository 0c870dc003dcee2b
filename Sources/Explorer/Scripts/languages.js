// The languages of the inputs that are texts with a grammar. `problems(text)` are `{start, end, message, better}` in their
// order, and `complete(text, at)` is what `completeValue` describes, or null.

function problemsBy(check, reader) {
  const found = [];
  check(({ start, end }, message, better = null) => found.push({ start, end, message, better }));
  if (reader.fault) found.push({ ...reader.fault, better: null });
  return found.sort((one, other) => one.start - other.start);
}
function problemsOfSelection(text, entity) {
  if (!text.trim()) return [];
  const reader = new Reader(text), document = reader.document();
  return problemsBy(note => checkSelection(document, entity, note), reader);
}

const selectionLanguage = entity => ({
  problems: text => problemsOfSelection(text, entity),
  complete: (text, at) => completeSelection(new Reader(text).document(), entity, at),
});

const aggregateLanguage = entity => ({
  problems(text) {
    if (!text.trim()) return [];
    const reader = new Reader(text), document = reader.document();
    return problemsBy(note => checkAggregates(document, entity, note), reader);
  },
  complete: (text, at) => completeAggregates(new Reader(text).document(), entity, at),
});

/** JSON by a schema, which `schema` returns. */
const jsonLanguage = schema => ({
  problems(text) {
    if (!text.trim()) return [];
    const reader = new Reader(text), value = reader.value();
    // JSON is stricter than the reader.
    reader.fault = null;
    try { readJSON(text); } catch ({ at, sentence }) { reader.fault = { start: at, end: at, message: sentence }; }
    return problemsBy(note => checkValue(value, schema(), note), reader);
  },
  complete: (text, at) => completeValue(new Reader(text).value(), schema(), at, name => JSON.stringify(name)),
});

/** A list of words, typed as plain words or as JSON. */
function wordsLanguage(schema) {
  const json = jsonLanguage(() => schema), items = formsOf(schema).find(one => one.type === "array").items;
  const words = formsOf(items).flatMap(one => one.enum ?? []);
  const labelled = word => formsOf(items).map(one => wordLabel(one, word)).find(Boolean) ?? labelAlong(current["x-entity"], word);
  const isJSON = text => /^\s*(\[|null\s*$)/.test(text);
  const wordsIn = text => [...text.matchAll(/[^\s,"]+/g)].map(({ 0: word, index }) => ({ word, start: index, end: index + word.length }));
  return {
    problems: text => isJSON(text) ? json.problems(text) : !words.length ? [] : wordsIn(text)
      .filter(({ word }) => !words.includes(word))
      .map(({ word, start, end }) => {
        const better = nearest(word, words);
        return { start, end, message: unknownName(word, "ici", better), better };
      }),
    complete(text, at) {
      if (isJSON(text)) return json.complete(text, at);
      const word = wordsIn(text).find(one => touches(one, at));
      const others = wordsIn(text).filter(one => one !== word).map(one => one.word.replace(/^-/, ""));
      const isLeft = name => !others.includes(name.replace(/^-/, ""));
      const options = words.filter(isLeft).map(name => ({ label: name, text: name, kind: "", hint: labelled(name) }));
      return { start: word?.start ?? at, word: /^[^\s,"]*/, options };
    },
  };
}

/** The language of an input with this schema; null if it has none. */
function languageOf(schema) {
  const form = plain(schema);
  if (form["x-selection-of"]) return selectionLanguage(form["x-selection-of"]);
  if (form["x-aggregates-of"]) return aggregateLanguage(form["x-aggregates-of"]);
  if (form.type === "array" && plain(form.items).type === "string") return wordsLanguage(form);
  const isKnown = form.type === "array" || form.type === "object" && form.properties;
  return isKnown ? jsonLanguage(() => schema) : null;
}

/** The params of the method that is shown, as one schema. */
const paramsSchema = () => ({
  type: "object", additionalProperties: false,
  properties: Object.fromEntries(current.params.map(({ name, summary, schema }) => [name, { description: summary, ...schema }])),
});
