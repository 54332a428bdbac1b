import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import type { Filter } from "./filter.ts";

const name = "envoy.filters.http.router";

/** Forwards the request. Always the last filter. */
export const router: Filter = {
  name,
  appliesTo: ({ hidesDebug }) => !hidesDebug,
  config: (writer) => writer.any(RouterSchema, {}),
};

/** The same without `x-envoy-` headers. */
export const quietRouter: Filter = {
  name,
  appliesTo: ({ hidesDebug }) => hidesDebug,
  config: (writer) => writer.any(RouterSchema, { suppressEnvoyHeaders: true }),
};
