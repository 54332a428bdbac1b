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
  /** Whether a client runs the mesh, and may see the configuration of all proxies. */
  readonly isOperator: (peer: Peer) => boolean;
}

/** Everything the xDS ports answer. What shows the configuration of others is for those who run the mesh. */
export function xdsMethods({ discovery, health, isOperator }: XdsMethodsOptions): MethodTables {
  const status = clientStatusMethods({
    connections: () => discovery.connections,
    // What came in a node's metadata was JSON.
    metadataOf: (proxy) => proxy.metadata as JsonObject,
  });
  const files = Array.from(envoyTypes, (type) => type.file);
  return {
    methods: discoveryMethods((stream, kind) => discovery.serve(stream, kind)),
    also: [health.tables, reflection({ services: xdsServices, files }), { ...status, mayCall: isOperator }],
  };
}
