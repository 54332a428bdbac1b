import { HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import type { HttpFilter } from "./http-filter.ts";

/** Injects the faults that routes ask for; does nothing by itself. */
export const fault: HttpFilter = {
  name: "envoy.filters.http.fault",
  appliesTo: () => true,
  config: (writer) => writer.any(HTTPFaultSchema, {}),
};
