import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { FilterContext } from "./filter-context.ts";

/**
 * One filter, of requests or of connections before the one that ends their chain. Its place among the others is its
 * place in a list of `filters.ts`.
 */
export interface Filter<Context = FilterContext> {
  readonly name: string;
  appliesTo(context: Context): boolean;
  /** The configuration, as an encoded Any. */
  config(writer: ProtoWriter): Uint8Array;
}

/** A filter as a message: an `HttpFilter` or a network `Filter`, which are alike. */
export function filterMessage(filter: Pick<Filter, "name" | "config">, writer: ProtoWriter) {
  return { name: filter.name, configType: { case: "typedConfig", value: filter.config(writer) } } as const;
}
