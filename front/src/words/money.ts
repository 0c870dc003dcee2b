// Amounts. The server's are decimal numbers of two places.

const narrow = "\u202f";

/** "1 200,50" with narrow no-break spaces; the decimals are always two unless `decimals` says otherwise. */
export function decimal(value: number, decimals = 2): string {
  const fixed = Math.abs(value).toFixed(decimals);
  const [whole, fraction] = fixed.split(".");
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, narrow);
  // An amount that rounds to zero has no sign.
  const sign = value < 0 && Number(fixed) !== 0 ? "−" : "";
  return sign + (fraction === undefined ? grouped : `${grouped},${fraction}`);
}

/** "24 625,00 €". */
export function euros(value: number): string {
  return `${decimal(value)}${narrow}€`;
}

/** "42 %", "42,5 %". */
export function percent(value: number, decimals = 0): string {
  return `${decimal(value, decimals)}${narrow}%`;
}

/** The number that a person typed: "1 200,50" and "1200.5" are 1200.5; undefined: no number. */
export function readAmount(text: string): number | undefined {
  const plain = text.replace(/[\s\u00a0\u202f€]/g, "").replace(",", ".").replace("−", "-");
  return /^-?\d+(\.\d*)?$|^-?\.\d+$/.test(plain) ? Number(plain) : undefined;
}

/** An amount as a field shows it: "1 200,5" is "1200,50"; whole amounts have no decimals. */
export function amountText(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? String(value) : value.toFixed(2).replace(".", ",");
}
