import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { back, cover, dropFalse, filtersOf, go, guard, place, setQuery } from "../src/parts/place";
import { scope } from "../src/view";
import { isMonth } from "../src/words/dates";

const isNumber = (text: string): boolean => /^\d+$/u.test(text);

test("words that mean nothing leave the address, whenever they come, and others stay", async () => {
  await go("/sessions?mois=2026-13&formateur=abc&q=SwiftUI");
  const { stop } = scope(() => dropFalse({ mois: isMonth, formateur: isNumber }));
  assert.equal(location.search, "?q=SwiftUI");
  assert.deepEqual(place().query, { q: "SwiftUI" });
  setQuery({ mois: "2026-11", formateur: "7" });
  assert.equal(location.search, "?q=SwiftUI&mois=2026-11&formateur=7");
  await go("/sessions?mois=xyz&formateur=7");
  assert.equal(location.search, "?formateur=7");
  // The next screen has words of its own.
  await go("/tableau-de-bord?mois=xyz");
  assert.equal(location.search, "?mois=xyz");
  stop();
});

test("a month has twelve of its kind in a year", () => {
  assert.deepEqual(["2026-01", "2026-12", "2026-13", "2026-00", "2026-1", "0000-01", "9999-12", "tous"].map(isMonth), [true, true, false, false, false, false, false, false]);
});

const shown = (): string => location.pathname + location.search;
/** Several turns, each after the one before: a single timer would overtake those of the history when the machine is busy. */
const moved = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2));
};
const goBack = (): Promise<void> => {
  history.back();
  return moved();
};

/** Something that covers the page, and what closed it. */
function open(mayClose: () => Promise<boolean> = async () => true): { isOpen: boolean; close: () => void } {
  const one = { isOpen: true, close: (): void => { one.isOpen = false; end(); } };
  const end = cover(async () => { if (await mayClose()) one.close(); });
  return one;
}

test("Back closes what covers the page, the last first, and then leaves it", async () => {
  await go("/clients");
  await go("/sessions");
  const [under, top] = [open(), open()];
  await goBack();
  assert.deepEqual([under.isOpen, top.isOpen, shown()], [true, false, "/sessions"]);
  await goBack();
  assert.deepEqual([under.isOpen, shown()], [false, "/sessions"]);
  await goBack();
  assert.equal(shown(), "/clients");
});

test("what was closed by other means needs one Back alone, and Forward does not strand", async () => {
  await go("/clients");
  await go("/sessions");
  open().close();
  await moved();
  history.forward();
  await moved();
  assert.equal(shown(), "/sessions");
  await goBack();
  assert.equal(shown(), "/clients");
});

test("what asks before it closes stays under its question", async () => {
  await go("/clients");
  await go("/sessions");
  let question: ReturnType<typeof open> | undefined;
  let answer: (yes: boolean) => void = () => undefined;
  const form = open(() => new Promise((resolve) => { answer = resolve; question = open(); }));
  await goBack();
  assert.deepEqual([form.isOpen, question?.isOpen], [true, true]);
  await goBack();
  answer(false);
  await moved();
  assert.deepEqual([form.isOpen, question?.isOpen, shown()], [true, false, "/sessions"]);
  await goBack();
  question!.close();
  answer(true);
  await moved();
  assert.equal(form.isOpen, false);
  await goBack();
  assert.equal(shown(), "/clients");
});

test("a move right after a closing, or under what covers the page, is not undone", async () => {
  await go("/clients");
  await go("/clients/1");
  open().close();
  await go("/clients", { replace: true });
  await moved();
  assert.equal(shown(), "/clients");
  const link = open();
  await go("/sessions/1");
  link.close();
  await moved();
  assert.equal(shown(), "/sessions/1");
  open().close();
  open().close();
  await back("/sessions");
  await moved();
  assert.equal(shown(), "/clients");
});

test("Back closes what was opened while another closed, and what stays open over further filters", async () => {
  await go("/clients");
  await go("/sessions");
  open().close();
  const next = open();
  await moved();
  await goBack();
  assert.deepEqual([next.isOpen, shown()], [false, "/sessions"]);
  const over = open();
  await go("/sessions?mois=2026-12");
  await goBack();
  assert.deepEqual([over.isOpen, shown()], [false, "/sessions?mois=2026-12"]);
  // A longer way back, to the same screen.
  const still = open();
  history.go(-2);
  await moved();
  assert.deepEqual([still.isOpen, shown()], [true, "/sessions"]);
  await goBack();
  assert.deepEqual([still.isOpen, shown()], [false, "/sessions"]);
  await goBack();
  assert.equal(shown(), "/clients");
});

test("filters that are chosen under what covers the list stay when Back closes it", async () => {
  await go("/clients");
  await go("/sessions");
  open();
  filtersOf("/sessions").set({ modalite: "D" });
  await goBack();
  assert.deepEqual([shown(), place().query], ["/sessions?modalite=D", { modalite: "D" }]);
  await goBack();
  assert.equal(shown(), "/clients");
});

test("months are steps that Back undoes; filters and the present month are none", async () => {
  await go("/clients");
  await go("/sessions");
  const { set, values } = filtersOf("/sessions");
  set({ mois: "2026-10" }, true);
  set({ mois: "2026-11" }, true);
  set({ mois: "2026-11" }, true);
  set({ q: "Vue" });
  assert.equal(shown(), "/sessions?mois=2026-11&q=Vue");
  await go("/sessions/1");
  await goBack();
  assert.deepEqual(values(), { mois: "2026-11", q: "Vue" });
  await goBack();
  assert.deepEqual(values(), { mois: "2026-10" });
  await goBack();
  assert.equal(shown(), "/sessions");
  await goBack();
  assert.equal(shown(), "/clients");
});

test("a form asks before Back leaves it, and is left once", async () => {
  await go("/clients");
  await go("/sessions");
  await go("/sessions/nouveau");
  let leaves = false;
  // The question covers the page, as dialogs do.
  const { stop } = scope(() => guard(async () => {
    const question = open();
    await moved();
    question.close();
    return leaves;
  }));
  await goBack();
  await moved();
  await moved();
  assert.equal(shown(), "/sessions/nouveau");
  leaves = true;
  await goBack();
  await moved();
  await moved();
  assert.equal(shown(), "/sessions");
  stop();
  await goBack();
  assert.equal(shown(), "/clients");
});
