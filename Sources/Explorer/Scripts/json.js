// Reads JSON without loss: numbers keep their digits, objects their order and repeated names. A value is
// `{kind, text, start, end}`: `kind` is "object" (with `members`, each a name and a value), "array" (with `items`),
// "string" (with `value`), "number", "true", "false" or "null"; `text` is the source from `start` to `end`.

/** The value of a JSON text. Throws a French message with the place of the first mistake. */
function readJSON(text) {
  let at = 0;
  const fail = what => {
    const { line, column } = placeIn(text, at);
    const sentence = `${what[0].toUpperCase()}${what.slice(1)}.`;
    throw Object.assign(new Error(`ligne ${line}, colonne ${column}\u202f: ${what}.`), { at, sentence });
  };
  const match = pattern => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const blank = () => match(/[ \t\n\r]*/y);

  function string() {
    const start = at;
    match(/"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y);
    if (text[at] === '"') { at += 1; return JSON.parse(text.slice(start, at)); }
    if (at >= text.length) fail("il manque le guillemet qui ferme le texte");
    fail(text[at] === "\\" ? "cette suite d’échappement n’existe pas"
      : "dans un texte, un retour à la ligne s’écrit \\n, une tabulation \\t");
  }
  function list(close, one) {
    const found = [];
    at += 1;
    for (blank(); text[at] !== close || found.length; blank()) {
      if (text[at] === close) fail("la virgule qui précède est de trop");
      if (at >= text.length) fail(`il manque ${close}`);
      found.push(one());
      blank();
      if (text[at] === close) break;
      if (text[at] !== ",") fail(at < text.length ? `une virgule ou ${close} est attendue` : `il manque ${close}`);
      at += 1;
    }
    at += 1;
    return found;
  }
  function value(depth) {
    if (depth > 500) fail("trop de niveaux");
    blank();
    const start = at;
    const cut = node => ({ ...node, text: text.slice(start, at), start, end: at });
    if (text[at] === "{") {
      return cut({ kind: "object", members: list("}", () => {
        if (text[at] !== '"') fail("un nom entre guillemets doubles est attendu");
        const name = string();
        blank();
        if (text[at] !== ":") fail("un deux-points est attendu après le nom");
        at += 1;
        return { name, value: value(depth + 1) };
      }) });
    }
    if (text[at] === "[") return cut({ kind: "array", items: list("]", () => value(depth + 1)) });
    if (text[at] === '"') return cut({ kind: "string", value: string() });
    const word = match(/(?:true|false|null)(?!\w)/y);
    if (word) return cut({ kind: word });
    if (match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y)) return cut({ kind: "number" });
    if (at >= text.length) fail("il manque une valeur");
    fail(/[-+.\d]/.test(text[at]) ? "ce nombre est mal écrit"
      : text[at] === "'" ? "les textes se mettent entre guillemets doubles" : "une valeur est attendue");
  }

  const whole = value(0);
  blank();
  if (at < text.length) fail("rien n’est attendu après la valeur");
  return whole;
}

const member = (node, name) => node?.members?.find(one => one.name === name)?.value;

/** The JSON Pointer of the first difference of two values; null if they are equal. */
function difference(one, other, path = "") {
  if (one?.kind !== other?.kind) return path;
  if (one.kind === "string") return one.value === other.value ? null : path;
  if (one.kind === "array") {
    if (one.items.length !== other.items.length) return path;
    return firstOf(one.items, (item, index) => difference(item, other.items[index], `${path}/${index}`));
  }
  if (one.kind === "object") {
    const names = [...one.members, ...other.members].map(member => member.name);
    for (const node of [one, other]) {
      const twice = node.members.find(member => node.members.findLast(last => last.name === member.name) !== member);
      if (twice) return `${path}/${twice.name}`;
    }
    return firstOf(names, name => difference(member(one, name), member(other, name), `${path}/${name}`));
  }
  return one.text === other.text ? null : path;
}
function firstOf(list, find) {
  for (const [index, one] of list.entries()) {
    const found = find(one, index);
    if (found !== null) return found;
  }
  return null;
}

/** The text of an object with one member set to a value, given as JSON text. Other text, and no object, is unchanged. */
function withMember(text, name, value) {
  const object = readJSON(text);
  if (object.kind !== "object") return text;
  const old = member(object, name);
  if (old) return text.slice(0, old.start) + value + text.slice(old.end);
  const last = object.members.at(-1)?.value.end ?? object.start + 1;
  return `${text.slice(0, last)}${object.members.length ? ", " : ""}${JSON.stringify(name)}: ${value}${text.slice(last)}`;
}
