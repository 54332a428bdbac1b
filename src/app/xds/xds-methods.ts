import type { JsonObject } from "@bufbuild/protobuf";
import { envoyTypes } from "../../admin/resource/envoy-types.ts";
import { xdsServices } from "../../admin/xds-services.ts";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import type { MethodTables } from "../../transport/server/method.ts";
import type { HealthService } from "../../transport/services/health.ts";
import { reflection } from "../../transport/services/reflection.ts";
import { clientStatusMethods } from "../../xds/services/client-status.ts";
import { discoveryMethods } from "../../xds/services/discovery-methods.ts";

export interface XdsMethodsOptions {
  readonly discovery: DiscoveryServer;
  readonly health: HealthService;
  /** Whether a client is an operator, who may see the configuration of all proxies. */
  readonly isOperator: (peer: Peer) => boolean;
}

/** All methods of the xDS ports. Only operators may see the configuration of other proxies. */
export function xdsMethods({ discovery, health, isOperator }: XdsMethodsOptions): MethodTables {
  const status = clientStatusMethods({
    connections: () => discovery.connections,
    // The metadata of a node is always JSON.
    metadataOf: (proxy) => proxy.metadata as JsonObject,
  });
  const files = Array.from(envoyTypes, (type) => type.file);
  return {
    methods: discoveryMethods((stream, kind) => discovery.serve(stream, kind)),
    also: [health.tables, reflection({ services: xdsServices, files }), { ...status, mayCall: isOperator }],
  };
}
