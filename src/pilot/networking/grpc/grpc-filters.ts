import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { HttpFilter } from "../filters/http-filter.ts";

/** HTTP filters as messages. gRPC rejects a listener for one filter it does not know, so only these are named. */
export function grpcFilters(filters: readonly HttpFilter[], writer: ProtoWriter) {
  return filters.map((filter) => ({
    name: filter.name,
    configType: { case: "typedConfig", value: filter.config(writer) } as const,
  }));
}
