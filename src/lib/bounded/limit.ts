import { MeshError } from "../errors.ts";

/** One limit of an edge: how much of what is taken from the other side, and why not more. */
export interface Limit {
  /** The thing that is limited, as the reference names it. */
  readonly of: string;
  readonly most: number;
  readonly unit: "bytes" | "ms" | "count";
  readonly why: string;
}

/** All limits of one edge. Its numbers are used by {@link limitsOf}, its words are in the reference. */
export type LimitTable = Readonly<Record<string, Limit>>;

export type Limits<T extends LimitTable> = { readonly [Name in keyof T]: number };

/** The numbers of a table; tests put smaller ones in their place. */
export function limitsOf<T extends LimitTable>(table: T, others: Partial<Limits<T>> = {}): Limits<T> {
  const numbers = Object.entries(table).map(([name, { most }]) => [name, most]);
  // The same names with other values.
  return { ...(Object.fromEntries(numbers) as Limits<T>), ...others };
}

/** The one sentence of every limit that is exceeded: which thing, which limit, and how much came before it was cut off. */
export function overLimit(what: string, most: number, unit: string, seen: number | string): MeshError {
  return new MeshError("limit-exceeded", `${what} exceeds the limit of ${most} ${unit}: ${seen} came`);
}
