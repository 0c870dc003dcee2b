// Values that are checked and completed by a schema: filters, orders, the arguments of a selection, params as JSON.

/** The forms that a schema allows, each with one type and, if the schema has one, its `name` in the document. */
function formsOf(schema, name) {
  if (!schema) return [];
  if (schema.$ref) {
    const target = schema.$ref.split("/").pop();
    return formsOf(api.components.schemas[target], target);
  }
  if (schema.anyOf) return schema.anyOf.flatMap(one => formsOf(one, name));
  return [schema.type].flat().map(type => ({ ...schema, type, name }));
}

const isForm = (form, { kind, value }) => form.type === undefined || form.type === kind
  || kind === "number" && form.type === "integer" && Number.isInteger(value)
  || form.type === "boolean" && (kind === "true" || kind === "false");

/** Notes what a value has that its schema does not allow. `note` takes a part of the text, a message and a better name. */
function checkValue(value, schema, note) {
  const forms = formsOf(schema);
  if (!value || value.kind === "variable" || !forms.length) return;
  const form = forms.find(one => isForm(one, value));
  if (!form) return note(value, value.kind === "word" ? `Mettez ${quoted(value.value)} entre guillemets.` : wantedOf(forms, value));
  if (form.type === "object") checkMembers(value.members, form, note);
  else if (form.type === "array") for (const item of value.items) checkValue(item, form.items, note);
  else checkScalar(value, form, note);
}

function checkMembers(members, form, note) {
  const known = form.properties ?? {}, seen = new Set();
  for (const member of members) {
    if (seen.has(member.name)) note(member, `${quoted(member.name)} est donné deux fois.`);
    seen.add(member.name);
    if (Object.hasOwn(known, member.name)) checkValue(member.value, known[member.name], note);
    else if (form.additionalProperties === false) {
      const better = nearest(member.name, Object.keys(known));
      note(member, unknownMember(member.name, form, better), better);
    }
  }
}
function unknownMember(name, form, better) {
  const names = Object.keys(form.properties);
  if (isCondition(form)) return `L’opérateur ${quoted(name)} n’existe pas\u202f; les opérateurs sont ${names.join(", ")}.`;
  const table = /^(.+)_where$/.exec(form.name)?.[1];
  return unknownName(name, table ? `dans ${quoted(table)}` : "ici", better);
}
const unknownName = (name, where, better) =>
  `${quoted(name)} n’existe pas ${where}${better ? `\u202f: vouliez-vous ${quoted(better)}\u202f?` : "."}`;
/** Whether a form is the object of operators of a condition. */
const isCondition = form => form.type === "object" && Object.hasOwn(form.properties ?? {}, "eq");

function checkScalar(value, form, note) {
  if (form.enum && value.kind !== "null") {
    const words = form.enum.filter(word => word !== null);
    const own = value.value ?? (value.kind === "true");
    if (words.includes(own)) return;
    const better = typeof own === "string" ? nearest(own, words.map(String)) : null;
    const list = words.length > 8 ? "" : `Donnez ${words.map(word => typeof word === "string" ? quoted(word) : word).join(" ou ")}.`;
    note(value, list || unknownName(String(own), "parmi les mots admis", better), better);
  } else if (form["x-selection-of"] && value.kind === "string") {
    const places = placesIn(value);
    for (const { start, end, message, better } of problemsOfSelection(value.value, form["x-selection-of"])) {
      note({ start: places[start], end: places[end] }, message, better);
    }
  } else if (value.kind === "string") {
    if (form.pattern && !new RegExp(form.pattern, "u").test(value.value)) note(value, shapeOf(form));
    else if ([...value.value].length > form.maxLength) note(value, `Donnez un texte d’au plus ${form.maxLength} caractères.`);
  } else if (value.kind === "number") {
    if (value.value < form.minimum) note(value, `Donnez un nombre supérieur ou égal à ${form.minimum}.`);
    if (value.value > form.maximum) note(value, `Donnez un nombre inférieur ou égal à ${form.maximum}.`);
  }
}

/** Where each character of a string's value, and its end, is in the text. */
function placesIn({ start, text }) {
  const places = [];
  let at = start + 1;
  for (const [piece] of text.slice(1).matchAll(/\\u[0-9a-fA-F]{4}|\\[^]|[^]/g)) {
    places.push(at);
    at += piece.length;
  }
  if (!text.endsWith('"') || text.length === 1) places.push(at);
  return places;
}

const isTimeForm = form => form.type === "string" && !form.format && Boolean(form.pattern?.includes("2[0-3]"));
/** What a text of this form looks like. */
const shapeOf = form => ({
  date: "Donnez une date qui existe, sous la forme AAAA-MM-JJ, comme 2026-01-12.",
  "date-time": "Donnez un instant avec son décalage horaire, comme 2026-01-12T09:30:00+01:00.",
  uuid: "Donnez un UUID, comme 3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48.",
}[form.format] ?? (isTimeForm(form) ? "Donnez une heure de 00:00 à 23:59:59, sous la forme HH:MM ou HH:MM:SS."
  : "Donnez un texte de la forme attendue."));

/** What to give in place of a value of the wrong type. */
function wantedOf(forms, { kind }) {
  const wanted = forms.find(one => one.type !== "null" && !isCondition(one)) ?? forms[0];
  if (kind === "null") return "Donnez une valeur.";
  if (kind === "array" && forms.some(isCondition)) {
    return `Donnez une valeur\u202f; pour plusieurs, utilisez l’opérateur ${quoted("in")}.`;
  }
  return {
    integer: "Donnez un nombre entier, sans guillemets ni fraction.",
    number: "Donnez un nombre, sans guillemets, comme 1200.50.",
    boolean: "Donnez true ou false, sans guillemets.",
    string: wanted.enum || !wanted.format && !isTimeForm(wanted) ? "Donnez un texte, entre guillemets." : shapeOf(wanted),
    array: "Donnez une liste, comme [ … ].",
    object: "Donnez un objet, comme { … }.",
    null: "Donnez null.",
  }[wanted.type] ?? "Donnez une autre valeur.";
}

// Completion. What it offers is `{start, options}`: where the word begins that an option replaces, and options
// `{label, kind, hint, text}`, whose `text` has a “|” where the caret goes, or none for its end. `word`, if there is one,
// matches the rest of the word behind the caret.

/** `spell` writes the name of a member: with quotes in JSON, without in a selection. */
function completeValue(value, schema, at, spell) {
  if (value?.kind === "object" && contains(value, at)) {
    const form = formsOf(schema).find(one => one.type === "object");
    return form ? completeMembers(value.members, form, at, spell) : null;
  }
  if (value?.kind === "array" && contains(value, at)) {
    const form = formsOf(schema).find(one => one.type === "array");
    const item = value.items.find(one => contains(one, at) || touches(one, at) && !["object", "array"].includes(one.kind));
    return form ? completeValue(item, form.items, at, spell) : null;
  }
  const entity = formsOf(schema).find(one => one["x-selection-of"])?.["x-selection-of"];
  if (entity && value?.kind === "string" && at > value.start) return completeInside(value, entity, at);
  return { start: value?.start ?? at, options: valueOptions(schema, spell) };
}

/** Completes a selection that is the value of a string. */
function completeInside(string, entity, at) {
  const places = placesIn(string), inner = places.indexOf(at);
  const found = inner < 0 ? null : completeSelection(new Reader(string.value).document(), entity, inner);
  const escaped = option => ({ ...option, text: JSON.stringify(option.text).slice(1, -1) });
  return found && { start: places[found.start], options: found.options.map(escaped) };
}

function completeMembers(members, form, at, spell) {
  const known = form.properties ?? {}, table = /^(.+)_where$/.exec(form.name)?.[1];
  // A condition is described by the field that it is on.
  const described = (name, schema) => hintOf(schema) || hintOf(table && fieldsOf(table)[name]);
  const inName = members.find(one => touches(one, at) && (one.colon === null || at < one.colon));
  const before = members.findLast(one => one.colon !== null && one.colon <= at);
  const isNext = before?.value && !touches(before.value, at);
  if (!inName && before && !isNext) return completeValue(before.value, known[before.name], at, spell);
  const given = members.filter(one => one !== inName).map(one => one.name);
  const options = Object.entries(known).filter(([name]) => !given.includes(name)).map(([name, schema]) => ({
    label: name, kind: schemaWords(schema), hint: described(name, schema),
    text: spell(name) + (inName && inName.colon !== null ? "" : `: ${emptyOf(schema, spell) || "|"}`),
  }));
  return { start: inName?.start ?? at, options };
}

/** The brackets or quotes of a value that must have them, with the caret inside. */
function emptyOf(schema, spell) {
  const forms = formsOf(schema).filter(one => one.type !== "null");
  if (forms.length !== 1) return "";
  const [{ type, items, enum: words, properties }] = forms;
  if (type === "object") return properties ? "{|}" : "{ | }";
  if (type === "array") return `[${emptyOf(items, spell) || "|"}]`;
  return type === "string" && !words ? '"|"' : "";
}

function valueOptions(schema, spell) {
  const options = new Map();
  for (const form of formsOf(schema)) {
    const add = (label, text, kind, hint = "") => { if (!options.has(label)) options.set(label, { label, text, kind, hint }); };
    if (form.enum) for (const word of form.enum) {
      add(String(word), JSON.stringify(word), word === null ? "absent" : "valeur", wordLabel(form, word));
    }
    else if (form.type === "boolean") for (const word of ["true", "false"]) add(word, word, "valeur");
    else if (form.type === "null") add("null", "null", "absent");
    else if (form.format === "date") add(today(), JSON.stringify(today()), "aujourd’hui");
    else if (isCondition(form)) {
      for (const [name, inner] of Object.entries(form.properties)) {
        add(name, `{${spell(name)}: ${emptyOf(inner, spell) || "|"}}`, "opérateur", operatorWords[name]);
      }
    } else if (form.type === "object" && form.properties) add("{ … }", "{|}", "conditions");
    else if (form.type === "array") add("[ … ]", `[${emptyOf(form.items, spell) || "|"}]`, "liste");
  }
  return [...options.values()];
}
const today = () => new Date().toLocaleDateString("sv");
const operatorWords = {
  eq: "est égal à", ne: "est différent de", lt: "est avant, ou plus petit que", lte: "est au plus",
  gt: "est après, ou plus grand que", gte: "est au moins", in: "est l’un de", nin: "n’est aucun de",
  like: "a la forme du motif (% et _)", ilike: "a la forme du motif, sans égard à la casse", is_null: "est absent, ou non",
};

/** The types of a schema in a few words. */
function schemaWords(schema) {
  const words = formsOf(schema).filter(one => one.type !== "null").map(form => {
    const table = /^(.+)_where$/.exec(form.name)?.[1];
    return table ? `→ ${table}` : isCondition(form) ? "" : typeName(form);
  });
  return [...new Set(words)].filter(Boolean).join(", ");
}
