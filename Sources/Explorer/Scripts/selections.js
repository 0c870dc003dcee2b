// Selections that are checked and completed by the entity that they are of.

const fieldsOf = entity => api.components.schemas[entity]?.properties ?? {};
const isMany = property => property.type === "array";
/** The schemas of the arguments of a relation to many records. */
const parametersOf = target => ({
  where: { $ref: `#/components/schemas/${target}_where` }, search: { type: "string", maxLength: 1000 },
  order_by: { $ref: `#/components/schemas/${target}_order` }, first: { type: "integer", minimum: 1, maximum: 500 },
});

/** Notes what a selection of an entity has that does not exist. */
function checkSelection({ set, fragments }, entity, note) {
  checkSet(set, entity, note, fragments);
  for (const { table, set } of fragments) {
    const tables = Object.keys(api.components.schemas).filter(name => api.components.schemas[name]["x-table"]);
    if (tables.includes(table.name)) checkSet(set, table.name, note, fragments);
    else if (table.name) note(table, `La table ${quoted(table.name)} n’existe pas.`, nearest(table.name, tables));
  }
}

function checkSet(set, entity, note, fragments) {
  for (const field of set?.fields ?? []) {
    if (field.kind === "spread") checkSpread(field, entity, note, fragments);
    else if (field.name && field.name !== "__typename") checkField(field, entity, note, fragments);
  }
}

function checkSpread(spread, entity, note, fragments) {
  if (!spread.name) return;
  const fragment = fragments.find(one => one.name === spread.name);
  if (!fragment) return note(spread, `Le fragment ${quoted(spread.name)} n’est pas défini.`, nearest(spread.name, fragments.map(one => one.name)));
  if (fragment.table.name && fragment.table.name !== entity) {
    note(spread, `Le fragment ${quoted(spread.name)} est pour ${quoted(fragment.table.name)}, pas pour ${quoted(entity)}.`);
  }
}

function checkField(field, entity, note, fragments) {
  const { name, parameters, set } = field, known = fieldsOf(entity);
  if (!Object.hasOwn(known, name)) {
    const better = nearest(name, Object.keys(known));
    return note(field, unknownName(name, `dans ${quoted(entity)}`, better), better);
  }
  const property = known[name], target = property["x-target"], first = parameters?.members[0];
  if (!target) {
    if (first) note(first, `${quoted(name)} ne prend pas d’argument.`);
    if (set) note(field, `${quoted(name)} est une valeur simple\u202f: retirez la sélection entre accolades.`);
    return;
  }
  if (!set) note(field, `${quoted(name)} est une relation\u202f: nommez entre accolades les champs voulus, comme ${quoted(`${name} { id }`)}.`);
  if (first && !isMany(property)) note(first, `${quoted(name)} mène à un seul enregistrement et ne prend pas d’argument.`);
  else if (parameters) checkParameters(parameters.members, parametersOf(target), note);
  checkSet(set, target, note, fragments);
}

function checkParameters(members, known, note) {
  for (const member of members) {
    if (Object.hasOwn(known, member.name)) { checkValue(member.value, known[member.name], note); continue; }
    const names = Object.keys(known);
    note(member, `L’argument ${quoted(member.name)} n’existe pas\u202f; une relation prend ${names.join(", ")}.`, nearest(member.name, names));
  }
}

/** What completes a selection at a place; null if it is not inside any set. */
function completeSelection({ set, fragments }, entity, at) {
  const fragment = fragments.find(one => contains(one.set, at));
  if (fragment) return completeSet(fragment.set, fragment.table.name, at, fragments);
  if (contains(set, at)) return completeSet(set, entity, at, fragments);
  const { start, table } = fragments.find(one => touches(one.table, at)) ?? {};
  if (start !== undefined) {
    const tables = Object.keys(api.components.schemas).filter(name => api.components.schemas[name]["x-table"]);
    return { start: table.start, options: tables.map(name => ({ label: name, text: name, kind: "table", hint: "" })) };
  }
  return set ? null : { start: at, options: [{ label: "{ … }", text: "{ | }", kind: "sélection", hint: "" }] };
}

function completeSet(set, entity, at, fragments) {
  for (const field of set.fields) {
    if (field.kind !== "field") continue;
    const property = fieldsOf(entity)[field.name], target = property?.["x-target"];
    if (contains(field.parameters, at)) {
      const form = { properties: target && isMany(property) ? parametersOf(target) : {} };
      return completeMembers(field.parameters.members, form, at, name => name);
    }
    if (contains(field.set, at)) return target ? completeSet(field.set, target, at, fragments) : null;
  }
  const word = set.fields.find(one => touches(one, at));
  if (word?.kind === "spread") {
    const options = fragments.filter(one => one.table.name === entity).map(({ name }) => ({ label: name, text: name, kind: "fragment", hint: "" }));
    return { start: word.start, options };
  }
  const given = set.fields.filter(one => one !== word && !one.alias).map(one => one.name);
  const options = Object.entries(fieldsOf(entity)).filter(([name]) => !given.includes(name)).map(([name, property]) => {
    const target = property["x-target"], isWhole = word?.set || word?.parameters;
    const inner = !target || isWhole ? "" : `${isMany(property) ? "(first: 10)" : ""} { | }`;
    return {
      label: name, text: name + inner, hint: hintOf(property),
      kind: target ? `→ ${target}` : property["x-derived"] ? `${schemaWords(property)} ƒ` : schemaWords(property),
    };
  });
  return { start: word?.start ?? at, options };
}
