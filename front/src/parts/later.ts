// What no first page needs: one script and one sheet of styles.

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
      reject(new Error("the styles were not loaded"));
    };
    link.disabled = false;
  });
  return styles;
}

/** The later script. Its styles are there too, so that no screen is seen without them. */
export async function later(): Promise<typeof import("../later")> {
  const [module] = await Promise.all([import("../later"), loadStyles()]);
  return module;
}
