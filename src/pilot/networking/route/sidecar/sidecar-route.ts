import { isIpAddress } from "../../../../config/address.ts";
import { Memo } from "../../../../lib/memo.ts";
import { isHttp } from "../../../model/protocol-class.ts";
import type { Protocol, Service } from "../../../model/service.ts";
import type { EgressScope, SidecarScope } from "../../../model/sidecar-scope.ts";
import { hostAndPort } from "../host-and-port.ts";

/** A route configuration that some listener of a sidecar may refer to. */
export interface SidecarRoute {
  readonly name: string;
  /** Whose services and virtual services it is made of; undefined when no egress listener imports any for it. */
  readonly egress: EgressScope | undefined;
  /** 0 for a listener that serves every port of every service. */
  readonly port: number;
  /** Of the only service behind a listener where Envoy finds out by itself whether it is spoken to in HTTP. */
  readonly hostname: string | undefined;
}

/** The listener of a proxy's own HTTP proxy refers to this. */
const httpProxyName = "http_proxy";

const known = new Memo<ReadonlyMap<string, SidecarRoute>>();

/**
 * Every name that listeners of a scope may refer to, however traffic gets to the proxy.
 * @param httpProxy whether the proxy is an HTTP proxy as well, on a port of its own
 */
export function sidecarRoutesOf(scope: SidecarScope, httpProxy: boolean): ReadonlyMap<string, SidecarRoute> {
  return known.get([scope], `${httpProxy}`, () => {
    const routes = new Map<string, SidecarRoute>();
    for (const route of scope.egress.flatMap((listener) => routesOf(listener, scope))) {
      if (!routes.has(route.name)) routes.set(route.name, route);
    }
    if (httpProxy) routes.set(httpProxyName, routeNamed(httpProxyName, 0, scope));
    return routes;
  });
}

function routesOf(listener: EgressScope, scope: SidecarScope): readonly SidecarRoute[] {
  const { port, bind, services } = listener;
  if (port === undefined) {
    return services.flatMap((service) =>
      service.ports.flatMap(({ number, protocol }) => serviceRoutes({ service, number, protocol, bind }, scope)),
    );
  }
  const { number, protocol } = port;
  if (number === 0) return isHttp(protocol) || protocol === "auto" ? [routeNamed(bind, 0, scope)] : [];
  if (isHttp(protocol)) return [routeNamed(`${number}`, number, scope)];
  return services.flatMap((service) => serviceRoutes({ service, number, protocol, bind }, scope));
}

interface Served {
  readonly service: Service;
  readonly number: number;
  readonly protocol: Protocol;
  readonly bind: string;
}

function serviceRoutes({ service, number, protocol, bind }: Served, scope: SidecarScope): readonly SidecarRoute[] {
  const shared = routeNamed(`${number}`, number, scope);
  if (isHttp(protocol)) return [shared];
  if (protocol !== "auto") return [];
  const { hostname } = service;
  const own = { ...shared, name: hostAndPort(hostname, number), hostname };
  return sharesAddress(service, bind) ? [own, shared] : [own];
}

/** A service without an address of its own shares that of all others, and with it their routes. */
function sharesAddress({ addresses }: Service, bind: string): boolean {
  if (bind !== "") return isUnspecified(bind);
  return addresses.length === 0 || addresses.some((address) => !isIpAddress(address) || isUnspecified(address));
}

function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** The egress listener with that port (or, for unix sockets, that address) decides; else the one that takes all. */
function routeNamed(name: string, number: number, scope: SidecarScope): SidecarRoute {
  const egress = scope.egress.find(
    ({ port, bind }) => port === undefined || (port.number === number && (number !== 0 || bind === name)),
  );
  const port = egress?.port?.protocol === "HTTP_PROXY" ? 0 : number;
  return { name, egress, port, hostname: undefined };
}
