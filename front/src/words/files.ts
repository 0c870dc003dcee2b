// Kinds and sizes of files as people read them.

const names: Readonly<Record<string, string>> = {
  "image/png": "PNG", "image/jpeg": "JPEG", "image/svg+xml": "SVG", "application/pdf": "PDF",
};

/** "PNG" of a media type. */
export const kindName = (kind: string): string => names[kind] ?? (kind.split("/").pop() ?? kind).toUpperCase();

/** "PNG, JPEG ou PDF" */
export function kindsText(kinds: readonly string[]): string {
  const all = kinds.map(kindName);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ou ${all[all.length - 1]}`;
}

/** "512 ko", "1,5 Mo". Limits that are powers of two are told as such. */
export function sizeText(bytes: number): string {
  const unit = bytes % 1_024 === 0 ? 1_024 : 1_000;
  const [size, name] = bytes < unit ? [bytes, "octets"] : bytes < unit * unit ? [bytes / unit, "ko"] : [bytes / unit / unit, "Mo"];
  const rounded = size < 10 ? Math.round(size * 10) / 10 : Math.round(size);
  return `${String(rounded).replace(".", ",")}\u00a0${name}`;
}

/** "PNG ou PDF, 512 ko au plus." */
export const ruleText = (kinds: readonly string[], most: number): string => `${kindsText(kinds)}, ${sizeText(most)} au plus.`;

/** Why a file is not taken, before it is sent; null: it may be. A browser may not know of what kind a file is. */
export function refusalOf(file: { readonly type: string; readonly size: number }, rule: { kinds: readonly string[]; max_bytes: number }): string | null {
  if (file.type !== "" && !rule.kinds.includes(file.type)) return `Choisissez un fichier ${kindsText(rule.kinds)}\u202f: celui-ci est d’un autre genre (${kindName(file.type)}).`;
  if (file.size > rule.max_bytes) return `Ce fichier a ${sizeText(file.size)}\u202f: ${sizeText(rule.max_bytes)} au plus.`;
  return null;
}
