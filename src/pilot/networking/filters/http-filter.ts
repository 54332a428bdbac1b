import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { FilterContext } from "./filter-context.ts";

/** One HTTP filter; its place among the others is its place in the list of `filters.ts`. */
export interface HttpFilter {
  readonly name: string;
  appliesTo(context: FilterContext): boolean;
  /** The configuration, as an encoded Any. */
  config(writer: ProtoWriter): Uint8Array;
}
