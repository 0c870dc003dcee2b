// Selections of aggregates, such as `{ count sum { tarif_client } }`.

const isNumber = property => formsOf(property).some(one => one.type === "number" || one.type === "integer");
const isMoment = property => formsOf(property).some(one => /^date/.test(one.format ?? "") || one.pattern?.startsWith("^[0-9]{2}:"));
/** The aggregates, each with the fields that it applies to. */
const aggregates = { count: null, sum: isNumber, avg: isNumber, min: one => isNumber(one) || isMoment(one), max: one => isNumber(one) || isMoment(one) };
const aggregateWords = { count: "combien", sum: "la somme", avg: "la moyenne", min: "le plus petit", max: "le plus grand" };

function checkAggregates({ set, fragments }, entity, note) {
  for (const fragment of fragments) note(fragment, "Les fragments n’ont pas de sens dans un agrégat.");
  for (const field of set?.fields ?? []) {
    const { name, parameters } = field, first = parameters?.members[0];
    if (field.kind === "spread") { note(field, "Les fragments n’ont pas de sens dans un agrégat."); continue; }
    if (!name) continue;
    if (first) note(first, `${quoted(name)} ne prend pas d’argument.`);
    if (!Object.hasOwn(aggregates, name)) {
      const names = Object.keys(aggregates);
      note(field, `${quoted(name)} n’est pas un agrégat\u202f; les agrégats sont ${names.join(", ")}.`, nearest(name, names));
    } else if (name === "count") {
      if (field.set) note(field, `${quoted(name)} ne prend pas de sélection.`);
    } else if (!field.set) {
      note(field, `Nommez entre accolades les champs de ${quoted(name)}.`);
    } else {
      for (const inner of field.set.fields) if (inner.name) checkAggregated(inner, name, entity, note);
    }
  }
}

function checkAggregated(field, aggregate, entity, note) {
  const known = fieldsOf(entity), property = Object.hasOwn(known, field.name) ? known[field.name] : null;
  if (!property) {
    const better = nearest(field.name, Object.keys(known).filter(name => aggregates[aggregate](known[name])));
    note(field, unknownName(field.name, `dans ${quoted(entity)}`, better), better);
  } else if (property["x-target"]) {
    note(field, `${quoted(field.name)} est une relation\u202f: nommez une colonne de la table.`);
  } else if (!aggregates[aggregate](property)) {
    const words = aggregate === "min" || aggregate === "max" ? " ou une date." : ".";
    note(field, `${quoted(aggregate)} ne vaut pas pour ${quoted(field.name)}\u202f: nommez un nombre${words}`);
  }
}

function completeAggregates({ set }, entity, at) {
  if (!contains(set, at)) return set ? null : { start: at, options: [{ label: "{ … }", text: "{ | }", kind: "sélection", hint: "" }] };
  const outer = set.fields.find(one => contains(one.set, at));
  const fields = outer ? outer.set.fields : set.fields, word = fields.find(one => touches(one, at));
  const given = fields.filter(one => one !== word && !one.alias).map(one => one.name);
  const known = fieldsOf(entity);
  const options = outer
    ? Object.keys(known).filter(name => !known[name]["x-target"] && aggregates[outer.name]?.(known[name]))
      .map(name => ({ label: name, text: name, kind: schemaWords(known[name]), hint: hintOf(known[name]) }))
    : Object.keys(aggregates).map(name => ({
      label: name, text: name === "count" || word?.set ? name : `${name} { | }`, kind: "agrégat", hint: aggregateWords[name],
    }));
  return { start: word?.start ?? at, options: options.filter(one => !given.includes(one.label)) };
}
