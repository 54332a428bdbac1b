import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Protocol } from "../../model/service.ts";

/** One HTTP filter; its place among the others is its place in the list of `filters.ts`. */
export interface HttpFilter {
  readonly name: string;
  /** By what the listener's port speaks. */
  appliesTo(protocol: Protocol): boolean;
  /** The configuration, as an encoded Any. */
  config(writer: ProtoWriter): Uint8Array;
}
