// JSON as text for reading. Numbers and escapes are unchanged.

/** The text of the result or the error of a response. */
function payloadOf(text) {
  const head = /^\{"jsonrpc":"2\.0","id":(?:1|null),"(?:result|error)":/.exec(text);
  return head ? text.slice(head[0].length, text.lastIndexOf("}")) : text;
}

/** JSON text with line breaks and indentation. */
function indented(text) {
  const pieces = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let out = "", depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  pieces.forEach((piece, index) => {
    const before = pieces[index - 1], isEmpty = "{[".includes(before) && "}]".includes(piece) && before;
    if ("}]".includes(piece)) { depth -= 1; if (!isEmpty) out += line(); }
    else if (before === "{" || before === "[" || before === ",") out += line();
    out += piece === ":" ? ": " : piece;
    if (piece === "{" || piece === "[") depth += 1;
  });
  return out;
}

/** The same text in coloured pieces. A large text stays one piece, which is faster. */
function coloured(text) {
  if (text.length > 200_000) return [text];
  const pieces = text.match(/"(?:[^"\\]|\\.)*"(?=:)|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[^"\dtfn-]+|./g) ?? [];
  return pieces.map((piece, index) => {
    const first = piece[0];
    const name = first === '"' ? (pieces[index + 1]?.startsWith(":") ? "key" : "text")
      : /^-?\d/.test(piece) ? "number" : /^(true|false|null)$/.test(piece) ? "word" : null;
    return name ? make("span", { className: name }, piece) : piece;
  });
}
