import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { HttpRoute } from "../../model/traffic/virtual-service.ts";
import { cors, corsConfig } from "../filters/cors.ts";
import { fault, faultConfig } from "../filters/fault.ts";

/**
 * What a route asks of HTTP filters, by their names. As Istio does, we say it of every route, though Envoy knows CORS
 * only where requests are sent on.
 */
export function filterConfigsOf(route: HttpRoute, writer: ProtoWriter): Readonly<Record<string, Uint8Array>> {
  return {
    ...(route.fault !== undefined && { [fault.name]: faultConfig(route.fault, writer) }),
    ...(route.cors !== undefined && { [cors.name]: corsConfig(route.cors, writer) }),
  };
}
