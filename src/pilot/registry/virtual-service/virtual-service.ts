import type { VirtualService as IstioVirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Config } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { meshGateway, resolveGateway } from "../../../config/gateway-reference.ts";
import { fullHostname } from "../../../config/hostname.ts";
import { ingressGateway, ingressNamespace } from "../../../config/ingress-gateway.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { HttpRoute, VirtualService } from "../../model/virtual-service.ts";
import { tcpRouteOf, tlsRouteOf } from "./connection-routes.ts";
import { corsPolicyOf } from "./cors-policy.ts";
import { faultOf } from "./fault.ts";
import { headerOperationsOf } from "./header-operations.ts";
import { httpActionOf } from "./http-action.ts";
import { httpMatchOf } from "./http-match.ts";

interface Surroundings {
  readonly mesh: MeshSettings;
  readonly domain: string;
  /** The keys of all gateways made from old Ingresses; asked only by who means them. */
  readonly ingressGateways: () => readonly string[];
}

const anyIngressGateway = `${ingressNamespace}/${ingressGateway}`;

export function virtualServiceOf(config: Config<IstioVirtualService>, surroundings: Surroundings): VirtualService {
  const { spec, namespace } = config;
  const { mesh, domain } = surroundings;
  return {
    name: config.name,
    namespace,
    createdAt: config.createdAt,
    owner: configId("VirtualService", namespace, config.name),
    hosts: spec.hosts.map((host) => fullHostname(host, namespace, domain)),
    gateways: gatewaysOf(config, surroundings),
    exportTo: spec.exportTo.length > 0 ? spec.exportTo : mesh.defaultVirtualServiceExportTo,
    http: [...httpRoutesOf(spec, namespace, domain)],
    tls: spec.tls.map((route) => tlsRouteOf(route, namespace, domain)),
    tcp: spec.tcp.map((route) => tcpRouteOf(route, namespace, domain)),
  };
}

function gatewaysOf({ spec, namespace }: Config<IstioVirtualService>, { ingressGateways }: Surroundings) {
  const written = spec.gateways.length > 0 ? spec.gateways : [meshGateway];
  return written
    .map((gateway) => resolveGateway(gateway, namespace))
    .flatMap((gateway) => (gateway === anyIngressGateway ? ingressGateways() : [gateway]));
}

function* httpRoutesOf({ http }: IstioVirtualService, namespace: string, domain: string): Generator<HttpRoute> {
  for (const route of http) {
    const action = httpActionOf(route, namespace, domain);
    if (action === undefined) continue;
    yield {
      name: route.name,
      matches: route.match.map((match) => httpMatchOf(match, namespace)),
      headers: headerOperationsOf(route.headers),
      fault: faultOf(route.fault),
      cors: route.corsPolicy === undefined ? undefined : corsPolicyOf(route.corsPolicy),
      action,
    };
  }
}
