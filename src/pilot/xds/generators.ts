import { BoundedMemo } from "../../lib/bounded-memo.ts";
import type { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import {
  clusterType,
  endpointType,
  extensionType,
  listenerType,
  routeType,
  secretType,
  virtualHostType,
} from "../../xds/type-urls.ts";
import type { Resource } from "../model/resource.ts";
import { emptyLoadAssignment } from "../networking/endpoint/build-load-assignment.ts";
import { emptyRoutes } from "../networking/route/build-route-configuration.ts";
import type { Generator } from "./generator.ts";
import { extensionConfigs } from "./generators/extension-configs.ts";
import { gatewayListeners } from "./generators/gateway-listeners.ts";
import { gatewayRoutes } from "./generators/gateway-routes.ts";
import { grpcClusters } from "./generators/grpc/grpc-clusters.ts";
import { grpcEndpoints } from "./generators/grpc/grpc-endpoints.ts";
import { grpcListeners } from "./generators/grpc/grpc-listeners.ts";
import { grpcRoutes } from "./generators/grpc/grpc-routes.ts";
import { grpcServerListeners } from "./generators/grpc/grpc-server-listeners.ts";
import { inboundClusters } from "./generators/inbound-clusters.ts";
import { inboundListeners } from "./generators/inbound-listeners.ts";
import { nameTables, nameTableType } from "./generators/name-tables.ts";
import { outboundClusters, sniDnatClusters } from "./generators/outbound-clusters.ts";
import { outboundEndpoints, sniDnatEndpoints } from "./generators/outbound-endpoints.ts";
import { outboundListeners } from "./generators/outbound-listeners.ts";
import {
  inboundClusterPatching,
  outboundClusterPatching,
  sniDnatPatching,
} from "./generators/patch/cluster-patching.ts";
import { extensionPatching } from "./generators/patch/extension-patching.ts";
import { inboundListenerPatching, listenerPatching } from "./generators/patch/listener-patching.ts";
import { patched } from "./generators/patch/patched.ts";
import { routePatching } from "./generators/patch/route-patching.ts";
import { secrets } from "./generators/secrets.ts";
import { sidecarRoutes } from "./generators/sidecar-routes.ts";
import { meshRootSecrets, proxyConfigType, trustBundles } from "./generators/trust-bundle.ts";

/** Every type we generate, in the order in which a push sends them: referenced types first. */
export function createGenerators({ writer }: { readonly writer: ProtoWriter }): readonly Generator[] {
  return [
    {
      typeUrl: clusterType,
      shortName: "CDS",
      sotw: "whole",
      families: [
        patched(outboundClusters(writer), outboundClusterPatching(writer)),
        patched(sniDnatClusters(writer), sniDnatPatching(writer)),
        patched(inboundClusters(writer), inboundClusterPatching(writer)),
        grpcClusters(writer),
      ],
    },
    {
      typeUrl: endpointType,
      shortName: "EDS",
      sotw: "partial",
      families: [outboundEndpoints(writer), sniDnatEndpoints(writer), grpcEndpoints(writer)],
      absent: memoizedByName((name) => emptyLoadAssignment(name, writer)),
    },
    {
      typeUrl: extensionType,
      shortName: "ECDS",
      sotw: "partial",
      neverRemoved: true,
      families: [patched(extensionConfigs(writer), extensionPatching(writer))],
    },
    {
      typeUrl: listenerType,
      shortName: "LDS",
      sotw: "whole",
      families: [
        patched(gatewayListeners(writer), listenerPatching("GATEWAY", writer)),
        patched(outboundListeners(writer), listenerPatching("SIDECAR_OUTBOUND", writer)),
        patched(inboundListeners(writer), inboundListenerPatching(writer)),
        grpcListeners(writer),
        grpcServerListeners(writer),
      ],
    },
    {
      typeUrl: routeType,
      shortName: "RDS",
      sotw: "partial",
      families: [
        patched(gatewayRoutes(writer), routePatching("GATEWAY", writer)),
        patched(sidecarRoutes(writer), routePatching("SIDECAR_OUTBOUND", writer)),
        grpcRoutes(writer),
      ],
      absent: memoizedByName((name) => emptyRoutes(name, writer)),
    },
    // Not generated: the server splits route configurations for the clients that take virtual hosts as resources.
    { typeUrl: virtualHostType, shortName: "VHDS", sotw: "whole", families: [] },
    { typeUrl: secretType, shortName: "SDS", sotw: "partial", families: [secrets(writer), meshRootSecrets(writer)] },
    { typeUrl: nameTableType, shortName: "NDS", sotw: "whole", families: [nameTables(writer)] },
    { typeUrl: proxyConfigType, shortName: "PCDS", sotw: "whole", families: [trustBundles(writer)] },
  ];
}

/** Clients choose these names, so the memo is bounded. */
function memoizedByName(build: (name: string) => Resource): (name: string) => Resource {
  const known = new BoundedMemo<Resource>(1024);
  return (name) => known.get(name, () => build(name));
}
