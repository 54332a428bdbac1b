import type { VirtualService as IstioVirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Config, ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { meshGateway, resolveGateway } from "../../../config/grammar/gateway-reference.ts";
import { fullHostname } from "../../../config/grammar/hostname.ts";
import { ingressGateway, ingressNamespace } from "../../../config/mesh/ingress-gateway.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import { isVisibleFrom } from "../../model/service/visibility.ts";
import type { VirtualService } from "../../model/traffic/virtual-service.ts";
import { tcpRouteOf, tlsRouteOf } from "./connection-routes.ts";
import { mergeDelegated } from "./http/delegate.ts";
import { httpRouteOf, type WrittenRoute, writtenRouteOf } from "./http/written-route.ts";
import type { RouteSource } from "./route-source.ts";

type VirtualServiceConfig = Config<IstioVirtualService>;

interface Context {
  readonly mesh: MeshSettings;
  readonly domain: string;
  /** The keys of all gateways made from Ingresses; called only for virtual services that are bound to them. */
  readonly ingressGateways: () => readonly string[];
  /** Looks up a VirtualService by key. */
  readonly virtualService: (key: string) => VirtualServiceConfig | undefined;
}

const anyIngressGateway = `${ingressNamespace}/${ingressGateway}`;
const semanticsAnnotation = "internal.istio.io/route-semantics";

/** A VirtualService without hosts is a delegate: it has no effect by itself. */
export function isDelegate({ spec }: VirtualServiceConfig): boolean {
  return spec.hosts.length === 0;
}

/** Converts a VirtualService, together with its delegates. */
export function virtualServiceOf(config: VirtualServiceConfig, context: Context): VirtualService {
  const { spec, namespace } = config;
  const { domain, mesh } = context;
  const source = sourceOf(config, domain);
  const delegates = new Set<ConfigId>();
  const missingDelegates = new Set<string>();
  const http = spec.http.flatMap((route) => {
    if (route.delegate === undefined) return [writtenRouteOf(route, source)];
    const key = `${route.delegate.namespace || namespace}/${route.delegate.name}`;
    const delegate = delegateOf(key, namespace, context);
    if (delegate === undefined) {
      missingDelegates.add(key);
      return [];
    }
    delegates.add(ownerOf(delegate));
    return delegatedRoutes(writtenRouteOf(route, source), delegate, domain);
  });
  return {
    name: config.name,
    namespace,
    createdAt: config.createdAt,
    owner: ownerOf(config),
    delegates: [...delegates],
    missingDelegates: [...missingDelegates],
    hosts: spec.hosts.map((host) => fullHostname(host, namespace, domain)),
    gateways: gatewaysOf(config, context),
    exportTo: exportToOf(config, mesh),
    http: http.flatMap((route) => httpRouteOf(route) ?? []),
    tls: spec.tls.map((route) => tlsRouteOf(route, source)),
    tcp: spec.tcp.map((route) => tcpRouteOf(route, source)),
  };
}

function sourceOf({ namespace, annotations }: VirtualServiceConfig, domain: string): RouteSource {
  return { namespace, domain, prefixes: annotations[semanticsAnnotation] === "ingress" ? "segments" : "texts" };
}

function ownerOf({ namespace, name }: VirtualServiceConfig): ConfigId {
  return configId("VirtualService", namespace, name);
}

function exportToOf({ spec }: VirtualServiceConfig, mesh: MeshSettings): readonly string[] {
  return spec.exportTo.length > 0 ? spec.exportTo : mesh.defaultVirtualServiceExportTo;
}

/**
 * Undefined if the delegate does not exist, has hosts, or is not exported to the namespace. Then the route is dropped.
 */
function delegateOf(key: string, namespace: string, { mesh, virtualService }: Context) {
  const named = virtualService(key);
  if (named === undefined || !isDelegate(named)) return undefined;
  const exported = { namespace: named.namespace, exportTo: exportToOf(named, mesh) };
  return isVisibleFrom(namespace, exported) ? named : undefined;
}

function delegatedRoutes(root: WrittenRoute, delegate: VirtualServiceConfig, domain: string): readonly WrittenRoute[] {
  const source = sourceOf(delegate, domain);
  return delegate.spec.http.flatMap((route) => mergeDelegated(root, writtenRouteOf(route, source)) ?? []);
}

function gatewaysOf({ spec, namespace }: VirtualServiceConfig, { ingressGateways }: Context) {
  const written = spec.gateways.length > 0 ? spec.gateways : [meshGateway];
  return written
    .map((gateway) => resolveGateway(gateway, namespace))
    .flatMap((gateway) => (gateway === anyIngressGateway ? ingressGateways() : [gateway]));
}
