/** The one order of texts: by UTF-16 code units, the same on every machine and in every locale. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
