// The map program of the device.

/** Plans on Apple's devices, the program chosen for maps on Android, and OpenStreetMap elsewhere. */
export function mapHref(address: string, agent = navigator.userAgent): string {
  const query = encodeURIComponent(address);
  if (/iPhone|iPad|Macintosh/u.test(agent)) return `https://maps.apple.com/?q=${query}`;
  if (agent.includes("Android")) return `geo:0,0?q=${query}`;
  return `https://www.openstreetmap.org/search?query=${query}`;
}

/** The address of a page, such as that of a video meeting, in a text. */
export function webAddress(text: string): string | null {
  return /https?:\/\/[^\s<>"]+/u.exec(text)?.[0] ?? null;
}
