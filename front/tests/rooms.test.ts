// Rooms may be taken out or added: what is shared knows none of them, and none knows another.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import test from "node:test";

const root = "front/src/";

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    return statSync(path).isDirectory() ? files(path) : /\.tsx?$/u.test(name) ? [path.slice(root.length)] : [];
  });
}

/** What a source names of other sources, types and scripts that are loaded later among them. */
function imports(path: string, text: string): string[] {
  const folder = path.split("/").slice(0, -1);
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]*)"/gu)].map((found) => {
    const steps = [...folder];
    for (const step of found[1]!.split("/")) {
      if (step === "..") steps.pop();
      else if (step !== ".") steps.push(step);
    }
    return steps.join("/");
  });
}

const roomOf = (path: string): string | undefined => /^domains\/([^/]+)/u.exec(path)?.[1];

/** Whether a source may name another one. The entry composes the rooms; they have what the first script has, and the shared one. */
function isAllowed(path: string, other: string): boolean {
  const [room, named] = [roomOf(path), roomOf(other)];
  if (room === undefined) return named === undefined || (path === "main.tsx" && other === `domains/${named}/room`);
  return named === undefined ? other !== "main" : named === room;
}

test("what is shared names no room, and no room names another", () => {
  const sources = files("front/src");
  assert.ok(sources.some(roomOf), "there are rooms");
  const wrong = sources.flatMap((path) => imports(path, readFileSync(root + path, "utf8"))
    .filter((other) => !isAllowed(path, other)).map((other) => `${path} names ${other}`));
  assert.deepEqual(wrong, []);
});

test("the script of each room imports the shared one first, or what both have would be a script of its own", () => {
  for (const path of files("front/src").filter((one) => /^domains\/[^/]+\/later\.tsx?$/u.test(one))) {
    assert.equal(imports(path, readFileSync(root + path, "utf8"))[0], "shared", path);
  }
});

test("each way to name another source is seen", () => {
  for (const text of ['import { a } from "../domains/crm/room";', 'import type { A } from "../domains/crm/parts/a";',
    'import "../domains/crm/later";', 'export * from "../domains/crm/words/a";', 'const a = () => import("../domains/crm/later");',
    'type A = typeof import("../domains/crm/later");', 'import {\n  a,\n} from "../domains/crm/room";']) {
    const [named] = imports("parts/a.ts", text);
    assert.ok(named !== undefined && !isAllowed("parts/a.ts", named), text);
  }
  const path = "domains/crm/screens/a.tsx";
  assert.ok(!isAllowed(path, imports(path, 'import "../../counting/parts/a";')[0]!));
  assert.ok(isAllowed(path, imports(path, 'import "../parts/a";')[0]!) && isAllowed(path, imports(path, 'import "../../../parts/a";')[0]!));
  assert.ok(isAllowed("main.tsx", "domains/crm/room") && !isAllowed("main.tsx", "domains/crm/later"));
});
