import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import type { Filter } from "./filter.ts";

const name = "envoy.filters.http.router";

/** Sends the request on. Always the last. */
export const router: Filter = {
  name,
  appliesTo: ({ hidesDebug }) => !hidesDebug,
  config: (writer) => writer.any(RouterSchema, {}),
};

/** The same without a word of how. */
export const quietRouter: Filter = {
  name,
  appliesTo: ({ hidesDebug }) => hidesDebug,
  config: (writer) => writer.any(RouterSchema, { suppressEnvoyHeaders: true }),
};
