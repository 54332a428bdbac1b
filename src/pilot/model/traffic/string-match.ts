/** How a string of a request is matched. `present` accepts any value. */
export type StringMatch =
  | { readonly type: "exact"; readonly value: string }
  | { readonly type: "prefix"; readonly value: string }
  | { readonly type: "regex"; readonly value: string }
  | { readonly type: "present" };

/** How a path is matched. `segments` accepts a path and all paths below it: `/a` and `/a/b`, not `/ab`. */
export type PathMatch = StringMatch | { readonly type: "segments"; readonly value: string };

/** A header or query parameter by name, and how its value is matched. */
export interface NamedMatch {
  readonly name: string;
  readonly match: StringMatch;
}
