// Reads selections and JSON that are still being typed: the first mistake is noted, and the rest is read all the same.
// Each part has its place in the text, from `start` to `end`; a part that is not closed ends where the text does.

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    /** The first mistake of syntax, or null. */
    this.fault = null;
    const pattern = /[\s,\ufeff]+|#[^\n\r]*|(?<name>[A-Za-z_]\w*)|(?<number>-?\d[\w.+-]*)|(?<string>"""(?:\\"""|(?!""")[^])*(?:""")?|"(?:[^"\\\n\r]|\\.)*"?)|(?<spread>\.\.\.)|(?<mark>[{}[\]():$])|(?<other>[^])/gu;
    this.tokens = [];
    for (const { 0: piece, index, groups } of text.matchAll(pattern)) {
      const kind = Object.keys(groups).find(name => groups[name] !== undefined);
      if (kind) this.tokens.push({ kind, text: piece, start: index, end: index + piece.length });
    }
  }

  get token() { return this.tokens[this.at]; }
  get place() { return this.token?.start ?? this.text.length; }
  /** Where the last token that was read ends. */
  get behind() { return this.tokens[this.at - 1]?.end ?? 0; }
  is(mark, ahead = 0) {
    const token = this.tokens[this.at + ahead];
    return token?.kind === "mark" && token.text === mark;
  }
  takes(mark) {
    const found = this.is(mark);
    if (found) this.at += 1;
    return found;
  }
  note(message, token = this.token) {
    this.fault ??= { start: token?.start ?? this.text.length, end: token?.end ?? this.text.length, message };
  }
  expected(what) {
    const { token } = this;
    const found = !token ? "la fin du texte" : token.kind === "string" ? "une chaîne" : quoted(token.text);
    this.note(`Attendu\u202f: ${what}, trouvé\u202f: ${found}.`);
  }

  // Values, as in JSON and as the arguments of a selection. Names may have quotes, and commas may be missing.

  /** A value `{kind, start, end}`; null if there is none. */
  value() {
    const { token } = this;
    if (!token || ["}", "]", ")", ":"].includes(token.text)) return null;
    this.at += 1;
    const { kind, start, end, text } = token;
    if (kind === "string") return { kind, start, end, text, value: contentOf(text) };
    if (kind === "number") return { kind, start, end, value: Number(text) };
    if (kind === "name") {
      return /^(true|false|null)$/.test(text) ? { kind: text, start, end } : { kind: "word", start, end, value: text };
    }
    if (text === "{") return this.object(start);
    if (text === "[") return this.list(start);
    if (text === "$" && this.token?.kind === "name") {
      this.at += 1;
      return { kind: "variable", start, end: this.behind };
    }
    this.note(`${quoted(text)} n’a pas de sens ici.`, token);
    return this.value();
  }
  object(start) {
    const members = this.members("}");
    return { kind: "object", members, start, ...this.closed("}") };
  }
  list(start) {
    const items = [];
    for (let item = this.value(); item; item = this.value()) items.push(item);
    return { kind: "array", items, start, ...this.closed("]") };
  }
  /** Names with their values, each `{name, start, end, colon, value}`; `colon` is where the colon ends, or null. */
  members(close) {
    const members = [];
    while (this.token && !this.is(close)) {
      const { kind, text, start, end } = this.token;
      if (kind !== "name" && kind !== "string") {
        if (["}", "]", ")"].includes(text)) break;
        this.expected(`un nom ou ${quoted(close)}`);
        this.at += 1;
        continue;
      }
      this.at += 1;
      const member = { name: kind === "string" ? contentOf(text) : text, start, end, colon: null, value: null };
      if (this.takes(":")) {
        member.colon = this.behind;
        // A name in front of a colon is that of the next member.
        if (!["name", "string"].includes(this.token?.kind) || !this.is(":", 1)) member.value = this.value();
        if (!member.value) this.expected("une valeur");
      } else {
        this.expected(`${quoted(":")} après ${quoted(member.name)}`);
      }
      members.push(member);
    }
    return members;
  }
  closed(mark) {
    if (this.takes(mark)) return { end: this.behind, isOpen: false };
    this.expected(quoted(mark));
    return { end: this.place, isOpen: true };
  }

  // Selections

  /** A selection with its fragments: `{set, fragments}`. */
  document() {
    const word = this.token?.kind === "name" ? this.token.text : null;
    if (/^(query|mutation|subscription)$/.test(word)) {
      this.note(`Les opérations (${quoted(word)}) ne sont pas admises\u202f: la sélection commence par ${quoted("{")}.`);
    } else if (!this.is("{")) {
      this.note(`La sélection commence par ${quoted("{")}.`);
    }
    while (this.token && !this.is("{")) this.at += 1;
    const set = this.set(), fragments = [];
    while (this.token) {
      if (this.token.text !== "fragment") {
        const found = this.token.kind === "string" ? "une chaîne" : quoted(this.token.text);
        this.note(`Après la sélection ne viennent que des ${quoted("fragment")}, pas ${found}.`);
        this.at += 1;
        continue;
      }
      this.at += 1;
      const name = this.name("le nom du fragment");
      if (this.token?.text === "on") this.at += 1; else this.expected(`${quoted("on")} et la table du fragment`);
      const table = this.name("la table du fragment");
      fragments.push({ ...name, table, set: this.set() });
    }
    return { set, fragments };
  }
  name(what) {
    if (this.token?.kind === "name") {
      const { text: name, start, end } = this.token;
      this.at += 1;
      return { name, start, end };
    }
    this.expected(what);
    return { name: "", start: this.place, end: this.place };
  }
  /** A set `{fields, start, end, isOpen}`; null if there is none. */
  set() {
    const start = this.place;
    if (!this.takes("{")) { this.expected(quoted("{")); return null; }
    const fields = [];
    while (this.token && !this.is("}")) {
      if (this.token.kind === "spread") fields.push(this.spread());
      else if (this.token.kind === "name") fields.push(this.field());
      else if (this.is(")") || this.is("]")) { this.expected(`un champ ou ${quoted("}")}`); this.at += 1; }
      else {
        const isDirective = this.token.text === "@";
        this.note(isDirective ? "Les directives («\u00a0@…\u00a0») ne sont pas admises." : `${quoted(this.token.text)} n’a pas de sens ici.`);
        this.at += 1;
      }
    }
    if (this.is("}") && !fields.length) {
      this.note("Une sélection vide «\u00a0{ }\u00a0» n’est pas admise\u202f: nommez au moins un champ.", { start, end: this.token.end });
    }
    const isOpen = !this.is("}");
    if (isOpen) this.expected(`un champ ou ${quoted("}")}`); else this.at += 1;
    return { fields, start, end: isOpen ? this.place : this.behind, isOpen };
  }
  spread() {
    const token = this.token;
    this.at += 1;
    if (this.token?.text === "on" || this.is("{")) {
      this.note(`Les fragments en ligne ne sont pas admis\u202f: définissez un ${quoted("fragment")} nommé après la sélection.`, token);
      if (this.token.text === "on") this.at += 2;
      if (this.is("{")) this.set();
      return { kind: "spread", name: null, start: token.start, end: this.behind };
    }
    return { kind: "spread", ...this.name("le nom du fragment") };
  }
  /** A field `{kind, alias, name, start, end, parameters, set}`; `parameters` are null or `{members, start, end, isOpen}`. */
  field() {
    let name = this.name("un champ"), alias = null;
    if (this.takes(":")) {
      alias = name;
      name = this.name(`le champ que renomme ${quoted(alias.name)}`);
    }
    const field = { kind: "field", alias, ...name, parameters: null, set: null };
    if (this.is("(")) {
      const start = this.place;
      this.at += 1;
      const members = this.members(")");
      if (this.is(")") && !members.length) this.note("Les parenthèses sont vides\u202f: nommez un argument ou ôtez-les.");
      field.parameters = { members, start, ...this.closed(")") };
    }
    if (this.is("{")) field.set = this.set();
    return field;
  }
}

/** The text that a string stands for, as far as it has been typed. */
function contentOf(text) {
  const isBlock = text.startsWith('"""'), quotes = isBlock ? 3 : 1;
  const inner = text.slice(quotes, text.length > quotes && text.endsWith('"'.repeat(quotes)) ? -quotes : undefined);
  if (isBlock || !inner.includes("\\")) return inner;
  try { return JSON.parse(`"${inner}"`); } catch { return inner; }
}

/** Whether a place is inside something with brackets. */
const contains = (part, at) => part && part.start < at && (part.isOpen ? at <= part.end : at < part.end);
/** Whether a place is in or beside a word. */
const touches = (part, at) => part && part.start <= at && at <= part.end;
