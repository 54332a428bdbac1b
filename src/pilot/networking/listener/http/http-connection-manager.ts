import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import { isHttp2, type Protocol } from "../../../model/service/service.ts";
import { adsSource } from "../../ads-source.ts";
import type { Direction, FilterContext } from "../../filters/filter.ts";
import { httpFiltersFor } from "../../filters.ts";
import { preservingCase } from "../../preserving-case.ts";
import { requestLogs } from "../access-log.ts";
import type { ListenerClient } from "../listener-client.ts";
import { headerOptions } from "./header-options.ts";
import { http2Options, limitsFor, requestLimits } from "./request-limits.ts";
import { type TracingContext, tracingOf } from "./tracing.ts";

/** All inputs of a connection manager. */
export interface ConnectionManagerInputs {
  readonly direction: Direction;
  readonly statPrefix: string;
  /** The name of a route configuration for RDS, or an encoded configuration. */
  readonly routes: string | Uint8Array;
  /** Of the port. */
  readonly protocol: Protocol;
  readonly client: Pick<ListenerClient, "identity" | "capabilities" | "settings">;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
  /** An explicit proxy receives requests with absolute URLs. */
  readonly allowAbsoluteUrl?: boolean;
}

/** The encoded filter that ends a chain of HTTP. */
export function connectionManager(inputs: ConnectionManagerInputs, writer: ProtoWriter): Uint8Array {
  const { direction, statPrefix, routes, protocol, client, mesh, policies } = inputs;
  const { settings } = client;
  const { tracing, requestIdExtension } = tracingOf(tracingContext(inputs), writer);
  const limits = limitsFor(direction, settings);
  const manager = writer.any(HttpConnectionManagerSchema, {
    statPrefix,
    routeSpecifier: routeSpecifierOf(routes),
    httpFilters: httpFiltersFor(filterContext(inputs), writer),
    tracing,
    httpProtocolOptions: http1Options(inputs, writer),
    http2ProtocolOptions: http2Options(limits) ?? (direction === "inbound" && isHttp2(protocol) ? {} : undefined),
    accessLog: requestLogs({ direction, mesh, policies }, writer),
    proxy100Continue: true,
    upgradeConfigs: [{ upgradeType: "websocket" }],
    requestIdExtension: { typedConfig: requestIdExtension },
    ...headerOptions(direction, settings.proxy),
    ...requestLimits(limits, settings, mesh),
  });
  return writer.encode(FilterSchema, {
    name: "envoy.filters.network.http_connection_manager",
    configType: { case: "typedConfig", value: manager },
  });
}

/** Undefined where nothing is set, except at gateways. */
function http1Options(inputs: ConnectionManagerInputs, writer: ProtoWriter) {
  const { direction, client, allowAbsoluteUrl } = inputs;
  const { http10, proxy } = client.settings;
  const headerKeyFormat = proxy.headers.preservesCase ? preservingCase(writer) : undefined;
  if (direction !== "gateway" && !allowAbsoluteUrl && !http10 && headerKeyFormat === undefined) return undefined;
  return { allowAbsoluteUrl, acceptHttp10: http10, headerKeyFormat };
}

function routeSpecifierOf(routes: string | Uint8Array) {
  if (typeof routes !== "string") return { case: "routeConfig", value: routes } as const;
  return { case: "rds", value: { configSource: adsSource, routeConfigName: routes } } as const;
}

/** The facts that traces depend on. */
function tracingContext({ direction, client, mesh, policies }: ConnectionManagerInputs): TracingContext {
  return { direction, identity: client.identity, settings: client.settings.proxy.tracing, mesh, policies };
}

/** The facts that filters depend on. */
function filterContext({ direction, protocol, client, mesh, policies }: ConnectionManagerInputs): FilterContext {
  const { capabilities, settings } = client;
  const { hidesDebug, hidesIdentityOutside } = settings.proxy.headers;
  return { direction, protocol, capabilities, hidesDebug, hidesIdentityOutside, mesh, policies };
}
