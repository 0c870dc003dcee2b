// Checks that constants of a TypeScript file are literals, which a bundler drops from a program that does not import them.
// `node literals.js COMPILER FILE NAME…` prints each constant that is missing or computes something, then `done`.
const [compiler, file, ...names] = process.argv.slice(2);
const ts = require(compiler);
const source = ts.createSourceFile(file, require("fs").readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true);

function isLiteral(node) {
  if (ts.isAsExpression(node)) return isLiteral(node.expression);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteral);
  if (!ts.isObjectLiteralExpression(node)) return ts.isStringLiteral(node);
  return node.properties.every((one) =>
    ts.isPropertyAssignment(one) && (ts.isIdentifier(one.name) || ts.isStringLiteral(one.name)) && isLiteral(one.initializer));
}
const constants = new Map(source.statements.filter(ts.isVariableStatement)
  .flatMap((statement) => statement.declarationList.declarations.map((one) => [one.name.getText(), one.initializer])));
for (const name of names) {
  const value = constants.get(name);
  if (!value || !isLiteral(value)) console.log(`${name} is no literal`);
}
console.log("done");
