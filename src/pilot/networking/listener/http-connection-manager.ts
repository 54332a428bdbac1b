import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import {
  HttpConnectionManager_ForwardClientCertDetails as ForwardClientCertDetails,
  HttpConnectionManagerSchema,
  HttpConnectionManager_PathWithEscapedSlashesAction as PathWithEscapedSlashesAction,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { UuidRequestIdConfigSchema } from "#gen/envoy/extensions/request_id/uuid/v3/uuid_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import { isHttp2 } from "../../model/protocol-class.ts";
import type { Protocol } from "../../model/service.ts";
import { adsSource } from "../ads-source.ts";
import type { Direction } from "../filters/filter-context.ts";
import { httpFiltersFor } from "../filters.ts";
import type { ListenerClient } from "./listener-client.ts";
import { tracingOf } from "./tracing.ts";

/** All that a connection manager depends on. */
export interface ConnectionManagerInputs {
  readonly direction: Direction;
  readonly statPrefix: string;
  /** The name of a route configuration to ask for, or an encoded one. */
  readonly routes: string | Uint8Array;
  /** Of the port. */
  readonly protocol: Protocol;
  readonly client: Pick<ListenerClient, "identity" | "capabilities">;
  readonly mesh: MeshSettings;
  /** An explicit proxy is asked for whole URLs. */
  readonly allowAbsoluteUrl?: boolean;
}

/** What is believed of clients and told to servers, in each direction. Only a gateway faces strangers. */
const manners = {
  outbound: {
    serverName: "",
    useRemoteAddress: false,
    forwardClientCertDetails: ForwardClientCertDetails.SANITIZE,
    setCurrentClientCertDetails: undefined,
    httpProtocolOptions: undefined,
  },
  inbound: {
    serverName: "istio-envoy",
    useRemoteAddress: false,
    forwardClientCertDetails: ForwardClientCertDetails.APPEND_FORWARD,
    setCurrentClientCertDetails: { subject: true, cert: false, dns: true, uri: true },
    httpProtocolOptions: undefined,
  },
  gateway: {
    serverName: "istio-envoy",
    useRemoteAddress: true,
    forwardClientCertDetails: ForwardClientCertDetails.SANITIZE_SET,
    setCurrentClientCertDetails: { subject: true, cert: true, dns: true, uri: true },
    httpProtocolOptions: {},
  },
} as const;

/** The encoded filter that ends a chain of HTTP. */
export function connectionManager(inputs: ConnectionManagerInputs, writer: ProtoWriter): Uint8Array {
  const { direction, statPrefix, routes, protocol, client, mesh, allowAbsoluteUrl } = inputs;
  const { identity, capabilities } = client;
  const own = manners[direction];
  const manager = writer.any(HttpConnectionManagerSchema, {
    statPrefix,
    routeSpecifier: routeSpecifierOf(routes),
    httpFilters: httpFiltersFor({ direction, protocol, capabilities }, writer),
    tracing: identity === undefined ? undefined : tracingOf(identity, writer),
    httpProtocolOptions: allowAbsoluteUrl ? { allowAbsoluteUrl } : own.httpProtocolOptions,
    http2ProtocolOptions: direction === "inbound" && isHttp2(protocol) ? {} : undefined,
    serverName: own.serverName,
    useRemoteAddress: own.useRemoteAddress,
    forwardClientCertDetails: own.forwardClientCertDetails,
    setCurrentClientCertDetails: own.setCurrentClientCertDetails,
    proxy100Continue: true,
    upgradeConfigs: [{ upgradeType: "websocket" }],
    streamIdleTimeout: { seconds: 0n, nanos: 0 },
    requestIdExtension: { typedConfig: requestIds(writer) },
    ...normalisation[mesh.pathNormalization],
  });
  return writer.encode(FilterSchema, {
    name: "envoy.filters.network.http_connection_manager",
    configType: { case: "typedConfig", value: manager },
  });
}

function routeSpecifierOf(routes: string | Uint8Array) {
  if (typeof routes !== "string") return { case: "routeConfig", value: routes } as const;
  return { case: "rds", value: { configSource: adsSource, routeConfigName: routes } } as const;
}

const { KEEP_UNCHANGED, UNESCAPE_AND_FORWARD } = PathWithEscapedSlashesAction;

const normalisation = {
  none: { normalizePath: false, mergeSlashes: false, pathWithEscapedSlashesAction: KEEP_UNCHANGED },
  base: { normalizePath: true, mergeSlashes: false, pathWithEscapedSlashesAction: KEEP_UNCHANGED },
  "merge-slashes": { normalizePath: true, mergeSlashes: true, pathWithEscapedSlashesAction: KEEP_UNCHANGED },
  "decode-and-merge-slashes": {
    normalizePath: true,
    mergeSlashes: true,
    pathWithEscapedSlashesAction: UNESCAPE_AND_FORWARD,
  },
} as const;

const requestIdConfigs = new Memo<Uint8Array>();

function requestIds(writer: ProtoWriter): Uint8Array {
  return requestIdConfigs.get([writer], "", () =>
    writer.any(UuidRequestIdConfigSchema, { useRequestIdForTraceSampling: true }),
  );
}
