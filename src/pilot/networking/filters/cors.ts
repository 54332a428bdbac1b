import { CorsSchema } from "#gen/envoy/extensions/filters/http/cors/v3/cors_pb.js";
import type { HttpFilter } from "./http-filter.ts";

/** Answers preflights as routes say; does nothing by itself. */
export const cors: HttpFilter = {
  name: "envoy.filters.http.cors",
  appliesTo: () => true,
  config: (writer) => writer.any(CorsSchema, {}),
};
