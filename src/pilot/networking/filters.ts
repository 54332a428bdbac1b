import type { ProtoWriter } from "../../lib/proto-writer.ts";
import type { Protocol } from "../model/service.ts";
import { cors } from "./filters/cors.ts";
import { fault } from "./filters/fault.ts";
import { grpcStats } from "./filters/grpc-stats.ts";
import { grpcWeb } from "./filters/grpc-web.ts";
import type { HttpFilter } from "./filters/http-filter.ts";
import { router } from "./filters/router.ts";

/** Every HTTP filter we know, in the order in which a request passes them. */
const httpFilters: readonly HttpFilter[] = [grpcWeb, grpcStats, fault, cors, router];

/** The filters of one listener, as messages. */
export function httpFiltersFor(protocol: Protocol, writer: ProtoWriter) {
  return httpFilters
    .filter((filter) => filter.appliesTo(protocol))
    .map((filter) => ({
      name: filter.name,
      configType: { case: "typedConfig", value: filter.config(writer) } as const,
    }));
}
