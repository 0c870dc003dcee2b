// Dialogs: the browser's own, which keep the focus inside and give it back.

import { append, effect, h, scope } from "view";
import type { Child } from "view";
import { Icon } from "./icons";
import { cover, path } from "./place";

export interface DialogOptions {
  heading: string;
  role?: "dialog" | "alertdialog";
  /** What describes an alertdialog. */
  text?: string;
  body?: (close: () => void) => Child;
  /** Asked before Escape, Back, the cross or the ground close it; false keeps it open. */
  mayClose?: () => boolean | Promise<boolean>;
  /** Runs after it was closed in any way. */
  closed?: () => void;
  wide?: boolean;
  /** Without the visible heading: its text is the name alone. */
  bare?: boolean;
}

export interface Dialog { close(): void; readonly element: HTMLDialogElement }

let number = 0;

export function openDialog(options: DialogOptions): Dialog {
  const id = `dialog-${++number}`;
  const alert = options.role === "alertdialog";
  let dialog!: HTMLDialogElement;
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    dialog.close();
    dialog.remove();
    stop();
    uncover();
    options.closed?.();
  };
  const ask = async (): Promise<void> => {
    if (!options.mayClose || (await options.mayClose())) close();
  };
  // The scope outlives the effect that opened the dialog.
  const { stop } = scope(() => {
    const view = (
      <dialog class={`dialog${options.wide ? " wide" : ""}${alert ? " alert" : ""}${options.bare ? " bare" : ""}`}
        role={options.role ?? "dialog"} aria-modal="true"
        aria-label={options.bare ? options.heading : null} aria-labelledby={options.bare ? null : `${id}-heading`}
        aria-describedby={options.text ? `${id}-text` : null}
        oncancel={(event: Event) => { event.preventDefault(); if (event.cancelable) void ask(); }}
        onclose={() => {
          // Chrome lets a dialog stay once between two touches of the page, and closes it the next time: it comes back, and asks.
          if (!open) return;
          dialog.showModal();
          void ask();
        }}
        onpointerdown={(event) => { if (event.target === event.currentTarget && !alert) void ask(); }}>
        <div class="dialog-frame">
          {options.bare ? null : (
            <header class="dialog-head">
              <h2 id={`${id}-heading`}>{options.heading}</h2>
              {alert ? null : (
                <button type="button" class="icon" aria-label="Fermer" onclick={() => void ask()}><Icon name="close" /></button>
              )}
            </header>
          )}
          {options.text ? <p id={`${id}-text`} class="dialog-text">{options.text}</p> : null}
          {options.body?.(close)}
        </div>
      </dialog>
    );
    append(document.body, [view]);
    dialog = view as HTMLDialogElement;
    // A dialog belongs to the screen it was opened on.
    let first = true;
    effect(() => {
      path();
      if (!first) close();
      first = false;
    });
  });
  dialog.showModal();
  const uncover = cover(ask);
  dialog.querySelector<HTMLElement>("[autofocus]")?.focus();
  return { close, element: dialog };
}

export interface Question { heading: string; text?: string; yes: string; no: string; danger?: boolean }

/** Asks a question. The focus is on the answer that leaves everything as it is. */
export function confirm({ heading, text, yes, no, danger = true }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    openDialog({
      heading, role: "alertdialog", ...(text === undefined ? {} : { text }),
      closed: () => resolve(answer),
      body: (close) => (
        <div class="form-end">
          <button type="button" class={danger ? "danger" : "primary"} onclick={() => { answer = true; close(); }}>{yes}</button>
          <button type="button" autofocus onclick={close}>{no}</button>
        </div>
      ),
    });
  });
}
