import { FilterConfigSchema } from "#gen/envoy/extensions/filters/http/grpc_stats/v3/config_pb.js";
import type { Filter } from "./filter.ts";

/** Counts gRPC calls and keeps the counts where other filters can read them. */
export const grpcStats: Filter = {
  name: "envoy.filters.http.grpc_stats",
  appliesTo: () => true,
  config: (writer) =>
    writer.any(FilterConfigSchema, {
      emitFilterState: true,
      perMethodStatSpecifier: { case: "statsForAllMethods", value: { value: false } },
    }),
};
