/**
 * Compares texts by UTF-16 code units. All sorting uses this order, because it is the same on every machine and locale.
 */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
