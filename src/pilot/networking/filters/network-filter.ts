import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { FilterContext } from "./filter-context.ts";

/** One network filter before the one that ends a chain; its place is its place in the list of `filters.ts`. */
export interface NetworkFilter {
  readonly name: string;
  appliesTo(context: FilterContext): boolean;
  /** The configuration, as an encoded Any. */
  config(writer: ProtoWriter): Uint8Array;
}
