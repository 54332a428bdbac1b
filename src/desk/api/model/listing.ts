/** One page of a list. The server searches, filters and sorts. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** Items that match the search and the filters, on all pages. */
  readonly total: number;
  /** The `cursor` of the next page; absent on the last page. */
  readonly next?: string;
}

/** A list that is cut: the first items, and the number of all. */
export interface Shortened<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** A value of a filter, and the number of items that have it. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

/** The body of every answer with a status of 400 or more. */
export interface ApiProblem {
  readonly error: string;
}
