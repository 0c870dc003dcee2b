// Checks that a TypeScript file runs after its types are stripped. `node erasable.js COMPILER FILE` prints the syntax that
// needs a translation, then `done`.
const [compiler, file] = process.argv.slice(2);
const ts = require(compiler);
const source = ts.createSourceFile(file, require("fs").readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true);

function visit(node) {
  const isTranslated = ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node) || ts.isImportEqualsDeclaration(node)
    || ts.isExportAssignment(node) || ts.isTypeAssertionExpression?.(node) || ts.isDecorator(node)
    || (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent));
  if (isTranslated) console.log(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`);
  ts.forEachChild(node, visit);
}
visit(source);
console.log("done");
