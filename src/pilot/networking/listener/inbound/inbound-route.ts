import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { zeroDuration } from "../../../model/duration.ts";
import type { Protocol } from "../../../model/service/service.ts";

/** The only route of a port of a workload. */
export interface InboundRouteInputs {
  readonly cluster: string;
  /** Its name in spans. */
  readonly hostname: string;
  readonly servicePort: number;
  readonly protocol: Protocol;
}

/** The encoded route configuration of a port: everything goes to the workload, and the caller's timeouts hold. */
export function inboundRoute(inputs: InboundRouteInputs, writer: ProtoWriter): Uint8Array {
  const { cluster, hostname, servicePort, protocol } = inputs;
  const grpc = protocol === "GRPC" || protocol === "GRPC-Web";
  return writer.encode(RouteConfigurationSchema, {
    name: cluster,
    virtualHosts: [
      {
        name: `inbound|http|${servicePort}`,
        domains: ["*"],
        routes: [
          {
            name: "default",
            match: { pathSpecifier: { case: "prefix", value: "/" } },
            action: {
              case: "route",
              value: {
                clusterSpecifier: { case: "cluster", value: cluster },
                timeout: zeroDuration,
                // Retries if the workload closed the connection before it got the request.
                retryPolicy: grpc ? undefined : { retryOn: "reset-before-request", numRetries: 2 },
                maxStreamDuration: { maxStreamDuration: zeroDuration, grpcTimeoutHeaderMax: zeroDuration },
              },
            },
            decorator: { operation: `${hostname}:${servicePort}/*` },
          },
        ],
      },
    ],
    validateClusters: false,
  });
}
