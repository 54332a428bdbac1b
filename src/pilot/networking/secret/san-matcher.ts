/** How a name in the peer's certificate has to look. */
export interface SanMatcher {
  readonly matchPattern: { readonly case: "exact" | "prefix"; readonly value: string };
}

export function exactNames(names: readonly string[]): readonly SanMatcher[] {
  return names.map((value) => ({ matchPattern: { case: "exact", value } }));
}
