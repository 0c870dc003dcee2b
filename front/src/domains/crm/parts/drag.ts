// Moving something with a mouse or a pen. Each drag repeats what keys or a button do, so that a finger scrolls.

/** Where something would be dropped. */
export interface Drop {
  /** What is marked. */
  readonly place: Element;
  /** Stands at what is moved: "10 h 15". */
  readonly words?: string;
  readonly run: () => void;
}

/** The pixels after which a press is a drag. */
const slack = 6;

/** Lets `element` be moved. `over` says what it means to drop it on what lies under the pointer, `y` pixels below its place. */
export function draggable(element: HTMLElement, over: (under: Element, y: number) => Drop | null): void {
  // Browsers drag links by themselves.
  element.addEventListener("dragstart", (event) => event.preventDefault());
  element.addEventListener("pointerdown", (down) => {
    if (down.button !== 0 || down.pointerType === "touch") return;
    const ended = new AbortController();
    const { signal } = ended;
    let found: Drop | null = null;
    let isMoving = false;
    const mark = (next: Drop | null): void => {
      found?.place.classList.remove("drop");
      next?.place.classList.add("drop");
      found = next;
      element.dataset["to"] = next?.words ?? "";
    };
    const end = (drop: Drop | null, isUp = true): void => {
      ended.abort();
      if (!isMoving) return;
      mark(null);
      element.classList.remove("moving");
      element.style.removeProperty("transform");
      // The press was no click.
      const swallow = (event: Event): void => event.preventDefault();
      const rest = (): unknown => setTimeout(() => removeEventListener("click", swallow, true));
      addEventListener("click", swallow, true);
      if (isUp) rest();
      else addEventListener("pointerup", rest, { once: true });
      drop?.run();
    };
    const on = <K extends keyof WindowEventMap>(name: K, work: (event: WindowEventMap[K]) => void): void =>
      addEventListener(name, work, { signal });
    on("pointermove", (event) => {
      const [x, y] = [event.pageX - down.pageX, event.pageY - down.pageY];
      if (!isMoving && Math.hypot(x, y) < slack) return;
      if (!isMoving) element.setPointerCapture(down.pointerId);
      isMoving = true;
      element.classList.add("moving");
      element.style.setProperty("transform", `translate(${x}px, ${y}px)`);
      const under = document.elementFromPoint(event.clientX, event.clientY);
      mark(under && over(under, y));
    });
    on("pointerup", () => end(found));
    on("pointercancel", () => end(null));
    on("keydown", (event) => {
      if (event.key === "Escape") end(null, false);
    });
  });
}

/** Puts the focus on what was moved when it is at its new place, some frames later. */
export function focusSoon(selector: string): void {
  let frames = 0;
  const look = (): void => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) found.focus();
    else if (++frames < 120) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
