// What was typed into forms and not saved: it survives a crash of the page.

import { openVault } from "./device";

export const drafts = {
  /** The draft of a form, as it was kept. */
  get: <T>(form: string): Promise<T | undefined> =>
    openVault()?.read<T>("drafts", form).catch(() => undefined) ?? Promise.resolve(undefined),
  set: (form: string, values: unknown): Promise<void> => put(form, values),
  remove: (form: string): Promise<void> => put(form, undefined),
};

/** A device that cannot keep the draft lets the form go on. */
function put(form: string, value: unknown): Promise<void> {
  return openVault()?.write([{ shelf: "drafts", name: form, value }]).catch(() => undefined) ?? Promise.resolve();
}
