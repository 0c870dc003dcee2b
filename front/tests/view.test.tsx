import { root } from "./document";
import assert from "node:assert/strict";
import test from "node:test";
import type { TestElement } from "./document";
import { each, effect, Fragment, h, mount, onCleanup, signal } from "../src/view";
import type { Child } from "../src/view";

test("an element has its attributes and children, and text is no HTML", () => {
  const place = root();
  mount(place, () => <p class="note" hidden={false} aria-hidden={false} data-none={null}>{"<b>"}{1}{false}{null}<i /></p>);
  assert.equal(place.html, '<root><p class="note" aria-hidden="false"><b>1<i></i></p></root>');
  assert.equal(place.textContent, "<b>1");
});

test("a function follows signals, in an attribute and as a child, and changes no other node", () => {
  const place = root();
  const name = signal("a");
  mount(place, () => <p class={name}><b>fixed</b>{name}</p>);
  const [paragraph] = place.childNodes as unknown as [TestElement];
  const [bold, , text] = paragraph.childNodes;
  name.set("b");
  assert.equal(paragraph.html, '<p class="b"><b>fixed</b>b</p>');
  assert.ok(paragraph.childNodes[0] === bold && paragraph.childNodes[2] === text);
});

test("a component runs once, and what it made ends with its place", () => {
  const place = root();
  const [shown, name] = [signal(true), signal("a")];
  let runs = 0;
  let ended = 0;
  function Name(props: { of: () => string }): Child {
    runs++;
    onCleanup(() => ended++);
    return <b>{props.of}</b>;
  }
  mount(place, () => <p>{() => (shown() ? <Name of={name} /> : "none")}</p>);
  name.set("b");
  assert.equal(place.html, "<root><p><b>b</b></p></root>");
  shown.set(false);
  assert.equal(place.html, "<root><p>none</p></root>");
  assert.deepEqual([runs, ended], [1, 1]);
});

test("a fragment and a nested place keep their order when both change", () => {
  const place = root();
  const [outer, inner] = [signal(1), signal("a")];
  mount(place, () => <p>{() => <><i>{outer()}</i>{() => (inner() === "" ? null : <b>{inner}</b>)}</>}<u /></p>);
  inner.set("");
  inner.set("b");
  outer.set(2);
  inner.set("c");
  assert.equal(place.html, "<root><p><i>2</i><b>c</b><u></u></p></root>");
});

test("a list keeps the element of a key, moves it, and follows its item", () => {
  const place = root();
  const items = signal([{ id: 1, name: "a" }, { id: 2, name: "b" }, { id: 3, name: "c" }]);
  const ended: number[] = [];
  mount(place, () => (
    <ul>
      {each(items, (item) => item.id, (item) => {
        const { id } = item();
        onCleanup(() => ended.push(id));
        return <li>{() => item().name}</li>;
      })}
    </ul>
  ));
  const list = place.childNodes[0] as unknown as TestElement;
  const [first, second] = list.childNodes.filter((node) => (node as TestElement).tag === "li");
  items.set([{ id: 2, name: "B" }, { id: 4, name: "d" }, { id: 1, name: "a" }]);
  const after = list.childNodes.filter((node) => (node as TestElement).tag === "li");
  assert.equal(list.html, "<ul><li>B</li><li>d</li><li>a</li></ul>");
  assert.ok(after[0] === second && after[2] === first);
  assert.deepEqual(ended, [3]);
  items.set([]);
  assert.equal(list.html, "<ul></ul>");
});

test("an event calls its listener, a ref has its element, a style is set by property", () => {
  const place = root();
  let presses = 0;
  let given: unknown;
  mount(place, () => <button ref={(element) => (given = element)} style={{ width: "1rem" }} onclick={() => presses++}>B</button>);
  const button = place.childNodes[0] as unknown as TestElement;
  button.dispatch("click");
  assert.equal(presses, 1);
  assert.ok(given === button);
  assert.equal(button.styles.get("width"), "1rem");
  assert.equal(button.attributes.has("style"), false);
});

test("unmounting empties the place and ends the effects", () => {
  const place = root();
  const name = signal("a");
  let runs = 0;
  const unmount = mount(place, () => {
    effect(() => {
      name();
      runs++;
    });
    return <p>{name}</p>;
  });
  unmount();
  name.set("b");
  assert.equal(place.html, "<root></root>");
  assert.equal(runs, 1);
});

test("a list with one key twice shows one element, and makes no second one", () => {
  const place = root();
  let made = 0;
  const items = signal([{ id: 1, name: "a" }, { id: 1, name: "b" }]);
  mount(place, () => <ul>{each(items, (item) => item.id, (item) => {
    made++;
    return <li>{() => item().name}</li>;
  })}</ul>);
  assert.equal(place.html, "<root><ul><li>b</li></ul></root>");
  assert.equal(made, 1);
});
