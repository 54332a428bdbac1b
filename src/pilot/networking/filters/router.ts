import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import type { HttpFilter } from "./http-filter.ts";

/** Sends the request on. Always the last. */
export const router: HttpFilter = {
  name: "envoy.filters.http.router",
  appliesTo: () => true,
  config: (writer) => writer.any(RouterSchema, {}),
};
