import { MeshError } from "../errors.ts";

/** One limit at an edge: the largest amount that we accept from the other side, and the reason. */
export interface Limit {
  /** Name of the limited thing, as in the reference. */
  readonly of: string;
  readonly most: number;
  readonly unit: "bytes" | "ms" | "count";
  readonly why: string;
}

/** All limits of one edge. {@link limitsOf} reads the numbers; the reference shows the texts. */
export type LimitTable = Readonly<Record<string, Limit>>;

export type Limits<T extends LimitTable> = { readonly [Name in keyof T]: number };

/** The numbers of a table. Tests replace them with smaller ones. */
export function limitsOf<T extends LimitTable>(table: T, others: Partial<Limits<T>> = {}): Limits<T> {
  const numbers = Object.entries(table).map(([name, { most }]) => [name, most]);
  // The same names with other values.
  return { ...(Object.fromEntries(numbers) as Limits<T>), ...others };
}

/** Builds the error for an exceeded limit: the thing, the limit, and the amount received before the cut. */
export function overLimit(what: string, most: number, unit: string, seen: number | string): MeshError {
  return new MeshError("limit-exceeded", `${what} exceeds the limit of ${most} ${unit}: ${seen} came`);
}
