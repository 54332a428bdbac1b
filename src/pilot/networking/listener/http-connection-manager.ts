import {
  HttpConnectionManager_ForwardClientCertDetails as ForwardClientCertDetails,
  HttpConnectionManagerSchema,
  HttpConnectionManager_PathWithEscapedSlashesAction as PathWithEscapedSlashesAction,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { UuidRequestIdConfigSchema } from "#gen/envoy/extensions/request_id/uuid/v3/uuid_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Protocol } from "../../model/service.ts";
import { adsSource } from "../ads-source.ts";
import { httpFiltersFor } from "../filters.ts";
import type { TracingIdentity } from "./tracing.ts";
import { tracingOf } from "./tracing.ts";

interface ConnectionManagerInputs {
  readonly listenerName: string;
  readonly routeName: string;
  readonly protocol: Protocol;
  readonly identity: TracingIdentity;
  readonly mesh: MeshSettings;
}

/** The connection manager at the edge of the mesh: it trusts nothing that the client says of itself. */
export function gatewayConnectionManager(inputs: ConnectionManagerInputs, writer: ProtoWriter): Uint8Array {
  const { listenerName, routeName, protocol, identity, mesh } = inputs;
  const paths = mesh.pathNormalization;
  return writer.any(HttpConnectionManagerSchema, {
    statPrefix: `outbound_${listenerName};`,
    routeSpecifier: { case: "rds", value: { configSource: adsSource, routeConfigName: routeName } },
    httpFilters: httpFiltersFor(protocol, writer),
    tracing: mesh.tracing ? tracingOf(identity) : undefined,
    httpProtocolOptions: {},
    serverName: "istio-envoy",
    useRemoteAddress: true,
    forwardClientCertDetails: ForwardClientCertDetails.SANITIZE_SET,
    setCurrentClientCertDetails: { subject: true, cert: true, dns: true, uri: true },
    proxy100Continue: true,
    upgradeConfigs: [{ upgradeType: "websocket" }],
    streamIdleTimeout: { seconds: 0n, nanos: 0 },
    normalizePath: paths !== "none",
    mergeSlashes: paths === "merge-slashes" || paths === "decode-and-merge-slashes",
    requestIdExtension: {
      typedConfig: writer.any(UuidRequestIdConfigSchema, { useRequestIdForTraceSampling: true }),
    },
    pathWithEscapedSlashesAction:
      paths === "decode-and-merge-slashes"
        ? PathWithEscapedSlashesAction.UNESCAPE_AND_FORWARD
        : PathWithEscapedSlashesAction.KEEP_UNCHANGED,
  });
}
