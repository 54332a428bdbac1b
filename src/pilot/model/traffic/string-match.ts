/** How a text of a request is compared. `present` accepts any value that is there. */
export type StringMatch =
  | { readonly type: "exact"; readonly value: string }
  | { readonly type: "prefix"; readonly value: string }
  | { readonly type: "regex"; readonly value: string }
  | { readonly type: "present" };

/** How a path is compared. `segments` accepts a path and all below it: `/a` and `/a/b`, not `/ab`. */
export type PathMatch = StringMatch | { readonly type: "segments"; readonly value: string };

/** A named text, such as a header or a query parameter, and how it is compared. */
export interface NamedMatch {
  readonly name: string;
  readonly match: StringMatch;
}
