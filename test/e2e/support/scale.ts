/** How much of a proof `npm test` has time for, and how much there is: `scripts/prove.ts` runs it all. */
export function atScale<T>({ quick, whole }: { readonly quick: T; readonly whole: T }): T {
  return process.env["BINNACLE_WHOLE"] === "1" ? whole : quick;
}
