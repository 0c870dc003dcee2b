// Gestures of touch screens. Each repeats what a button does.

import { append, h, mount, signal } from "view";
import type { Child } from "view";
import { Icon } from "./icons";
import type { SwipeAction } from "./list";

const button = 76;
let opened: (() => void) | null = null;

/** Lets a row be pushed to the left, where its actions are. */
export function swipeable(row: HTMLElement, actions: () => readonly SwipeAction[]): void {
  let start: { x: number; y: number; offset: number } | null = null;
  let horizontal = false;
  let offset = 0;
  let panel: HTMLElement | null = null;
  let moved = false;

  const show = (to: number): void => {
    offset = to;
    row.style.setProperty("transform", to === 0 ? "" : `translateX(${to}px)`);
  };
  const close = (): void => {
    row.classList.remove("dragged");
    show(0);
    const old = panel;
    panel = null;
    if (opened === close) opened = null;
    setTimeout(() => old?.remove(), 200);
  };
  const make = (): void => {
    if (panel) return;
    const some = actions();
    if (some.length === 0) return;
    // Readers and keys have the same actions on the record.
    append(row.parentElement!, [
      <div class="swipe-actions" aria-hidden="true" ref={(element) => (panel = element)} style={{ height: `${row.offsetHeight}px` }}>
        {some.map((one) => <SwipeButton action={one} done={close} />)}
      </div>,
    ]);
  };
  row.addEventListener("touchstart", (event) => {
    const touch = event.touches[0];
    if (!touch || event.touches.length > 1) return;
    if (opened && opened !== close) opened();
    start = { x: touch.clientX, y: touch.clientY, offset };
    // An answer may replace what the finger is on, and the row then hears nothing more of it.
    const target = event.target ?? row;
    target.addEventListener("touchend", end, { once: true });
    target.addEventListener("touchcancel", end, { once: true });
    horizontal = false;
    moved = false;
  }, { passive: true });
  row.addEventListener("touchmove", (event) => {
    const touch = event.touches[0];
    if (!touch || !start) return;
    const [dx, dy] = [touch.clientX - start.x, touch.clientY - start.y];
    if (!horizontal) {
      if (Math.abs(dy) > 10) return void (start = null);
      // The edges of the screen belong to the browser's own gestures.
      if (Math.abs(dx) < 12 || start.x < 24) return;
      horizontal = true;
      make();
      row.classList.add("dragged");
    }
    if (!panel) return;
    event.preventDefault();
    moved = true;
    show(Math.max(-button * panel.childElementCount - 24, Math.min(0, start.offset + dx)));
  }, { passive: false });
  const end = (): void => {
    if (!start || !horizontal) return void (start = null);
    start = null;
    row.classList.remove("dragged");
    if (panel && offset < -button / 2) {
      show(-button * panel.childElementCount);
      opened = close;
    } else close();
  };
  row.addEventListener("click", (event) => {
    if (!moved && offset === 0) return;
    event.preventDefault();
    moved = false;
    if (offset !== 0 && !horizontal) close();
    horizontal = false;
  });
}

function SwipeButton({ action, done }: { action: SwipeAction; done: () => void }): Child {
  const inside = <span class="swipe-inside"><Icon name={action.icon} />{action.label}</span>;
  const kind = `swipe-action${action.danger ? " danger" : ""}`;
  if (action.href) return <a class={kind} href={action.href} tabindex="-1" onclick={() => done()}>{inside}</a>;
  return <button type="button" class={kind} tabindex="-1" onclick={() => { done(); action.run?.(); }}>{inside}</button>;
}

const pulled = signal(0);
const threshold = 72;

/** Pulling a screen down at its top presses its button "Actualiser". */
export function followPull(main: HTMLElement): void {
  let start: number | null = null;
  const control = (): HTMLElement | null => main.querySelector("button[aria-label=Actualiser]");
  const mark = document.createElement("div");
  document.body.append(mark);
  mount(mark, () => <PullMark />);
  main.addEventListener("touchstart", (event) => {
    const touch = event.touches[0];
    start = touch && event.touches.length === 1 && window.scrollY <= 0 && control() ? touch.clientY : null;
  }, { passive: true });
  main.addEventListener("touchmove", (event) => {
    if (start === null) return;
    const distance = (event.touches[0]?.clientY ?? start) - start;
    if (distance < 0) start = null;
    pulled.set(Math.max(0, Math.min(threshold * 1.4, distance / 2)));
  }, { passive: true });
  const end = (): void => {
    if (pulled() >= threshold) control()?.click();
    start = null;
    pulled.set(0);
  };
  main.addEventListener("touchend", end);
  main.addEventListener("touchcancel", end);
}

function PullMark(): Child {
  return () => (pulled() < 8 ? null : (
    <div class="pull-mark" aria-hidden="true"><span style={() => ({ transform: `translateY(${pulled()}px) rotate(${pulled() * 4}deg)`, opacity: String(Math.min(1, pulled() / threshold)) })}><Icon name="refresh" /></span></div>
  ));
}
