// What people read is set as French is: the strings of all sources.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";

interface Node { readonly kind: number; readonly text?: string; getStart(): number }
interface Source extends Node { getLineAndCharacterOfPosition(at: number): { line: number } }
interface Compiler {
  readonly SyntaxKind: Readonly<Record<string, number>>;
  createSourceFile(name: string, text: string, target: number, parents: boolean): Source;
  forEachChild(node: Node, visit: (child: Node) => void): void;
}

const compiler = createRequire(import.meta.url)("typescript") as Compiler;
const kinds = ["StringLiteral", "NoSubstitutionTemplateLiteral", "TemplateHead", "TemplateMiddle", "TemplateTail", "JsxText"]
  .map((name) => compiler.SyntaxKind[name]!);

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    return statSync(path).isDirectory() ? files(path) : /\.tsx?$/u.test(name) && !name.endsWith(".d.ts") ? [path] : [];
  });
}

/** The strings of a source, with the lines on which they begin. */
function strings(name: string, text: string): [line: number, text: string][] {
  const source = compiler.createSourceFile(name, text, 99, true);
  const found: [number, string][] = [];
  const visit = (node: Node): void => {
    if (kinds.includes(node.kind) && node.text !== undefined) {
      found.push([source.getLineAndCharacterOfPosition(node.getStart()).line + 1, node.text.replace(/&nbsp;/gu, "\u00a0")]);
    }
    compiler.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const rules: readonly (readonly [what: string, wrong: RegExp])[] = [
  ["an apostrophe is ’", /\p{L}'\p{L}/u],
  ["U+00A0 stands behind «", /«(?!\u00a0)/u],
  ["U+00A0 stands before »", /(?<!\u00a0)»/u],
  ["U+202F stands before ; : ! ?", /(?<!\u202f)(?:[ \u00a0\n]|(?<=\p{L}))[;:!?](?=[ \n»]|$)/u],
  ["three points are …", /\.\.\./u],
  ["a space that does not break stands before a sign or behind n°", /(?:\d|^) [%€]|n° /u],
];

/** What is no text: the conditions of media, selections, and parts of addresses. */
const isText = (text: string): boolean => !/^[({/]|^[a-z-]*:$/u.test(text.trim()) && /\p{L}|[«»;:!?%€]/u.test(text);

function mistakes(name: string, text: string): string[] {
  return strings(name, text).filter(([, one]) => isText(one)).flatMap(([line, one]) =>
    rules.filter(([, wrong]) => wrong.test(one)).map(([what]) => `${name}:${line}: ${what}: ${one.trim()}`));
}

test("the strings of the sources are set as French is", () => {
  const found = files("front/src").flatMap((path) => mistakes(path, readFileSync(path, "utf8")));
  assert.deepEqual(found, []);
});

test("each mistake of typography is found", () => {
  const wrong = ["l'heure", "« Oui\\u00a0»", "«\\u00a0Oui »", "Supprimer ?", "Supprimer?", "Durée : une heure", "Attendez...", "12 %", "n° 3"];
  for (const text of wrong) assert.equal(mistakes("one.ts", `say("${text}");`).length, 1, text);
  const right = ["l’heure", "«\\u00a0Oui\\u00a0»", "Supprimer\\u202f?", "Durée\\u202f: une heure", "Attendez…", "12\\u202f%", "9:30"];
  for (const text of right) assert.deepEqual(mistakes("one.ts", `say("${text}");`), [], text);
  assert.equal(mistakes("one.tsx", "const one = <p>Supprimer ?</p>;").length, 1);
});
