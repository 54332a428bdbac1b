import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { HttpRoute } from "../../model/traffic/virtual-service.ts";
import { cors, corsConfig } from "../filters/cors.ts";
import { fault, faultConfig } from "../filters/fault.ts";

/**
 * Per-route configuration of HTTP filters, by filter name. Like Istio, we set it on every route, though Envoy applies
 * CORS only to routes that forward.
 */
export function filterConfigsOf(route: HttpRoute, writer: ProtoWriter): Readonly<Record<string, Uint8Array>> {
  return {
    ...(route.fault !== undefined && { [fault.name]: faultConfig(route.fault, writer) }),
    ...(route.cors !== undefined && { [cors.name]: corsConfig(route.cors, writer) }),
  };
}
