// What no first page needs: the script that screens share, one of each room, and one sheet of styles.

let styles: Promise<void> | undefined;

/** Loads the styles. A failure is forgotten, so that the next page asks again. */
function loadStyles(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>("#later");
  if (link === null) return Promise.resolve();
  styles ??= new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      styles = undefined;
      link.disabled = true;
      reject(new Error("no styles"));
    };
    link.disabled = false;
  });
  return styles;
}

/** The shared script. The styles are there too, so that no screen is seen without them. */
export async function later(): Promise<typeof import("../shared")> {
  const [module] = await Promise.all([import("../shared"), loadStyles()]);
  return module;
}

/** The script of a room. What it shares with the others is loaded beside it, and not after it. */
export async function beside<T>(script: Promise<T>): Promise<T> {
  const [module] = await Promise.all([script, later()]);
  return module;
}
