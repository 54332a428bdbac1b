import { isIpAddress } from "../../../../config/grammar/address.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { EgressScope, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { isHttp, type Protocol, type Service } from "../../../model/service/service.ts";
import { hostAndPort } from "../../address.ts";

/** A route configuration that some listener of a sidecar may refer to. */
export interface SidecarRoute {
  readonly name: string;
  /** The imports that it is built from; undefined when no egress listener imports any for it. */
  readonly egress: EgressScope | undefined;
  /** 0 for a listener that serves every port of every service. */
  readonly port: number;
  /** Whether `example.com:8080` in a request means the domain `example.com`: not on a Unix socket, which has no port. */
  readonly ignoresPort: boolean;
  /** The only service of a listener with protocol detection. */
  readonly hostname: string | undefined;
}

/** The listener of a proxy's own HTTP proxy refers to this. */
const httpProxyName = "http_proxy";

/** A route before its egress listener is looked up, which changes with every virtual service. */
interface NamedRoute extends Omit<SidecarRoute, "egress"> {
  /** Its position in the scope. */
  readonly listener: number;
}

/**
 * Every route configuration name that listeners of a scope may reference, for every interception mode.
 * @param httpProxy whether the proxy is also an HTTP proxy, on its own port
 */
export function sidecarRoutesOf(scope: SidecarScope, httpProxy: boolean): ReadonlyMap<string, SidecarRoute> {
  return findRoutes([scope], { httpProxy });
}

const findRoutes = memoize(
  (
    [{ egress }]: readonly [SidecarScope],
    { httpProxy }: { readonly httpProxy: boolean },
  ): ReadonlyMap<string, SidecarRoute> => {
    const listeners = egress.map(({ port, bind }) => ({ port, bind }));
    const names = nameRoutes(
      egress.map(({ services }) => services),
      { listeners, httpProxy },
    );
    const withEgress = ({ listener, ...route }: NamedRoute) => ({ ...route, egress: egress[listener] });
    return new Map(Array.from(names, ([name, route]) => [name, withEgress(route)]));
  },
);

/** The part of an egress listener that decides about the names of routes, beside its services. */
type ListenerAddress = Pick<EgressScope, "port" | "bind">;

/** An egress listener without its virtual services. */
type ImportingListener = Pick<EgressScope, "port" | "bind" | "services">;

/** Kept when only virtual services change, because names depend on services alone. */
const nameRoutes = memoize(
  (
    lists: readonly (readonly Service[])[],
    { listeners, httpProxy }: { readonly listeners: readonly ListenerAddress[]; readonly httpProxy: boolean },
  ): ReadonlyMap<string, NamedRoute> => {
    const egress = listeners.map((listener, index) => ({ ...listener, services: lists[index] ?? [] }));
    const routes = new Map<string, NamedRoute>();
    for (const route of egress.flatMap((listener) => routesOf(listener, egress))) {
      if (!routes.has(route.name)) routes.set(route.name, route);
    }
    if (httpProxy) routes.set(httpProxyName, routeNamed(httpProxyName, 0, egress));
    return routes;
  },
);

function routesOf(listener: ImportingListener, all: readonly ListenerAddress[]): readonly NamedRoute[] {
  const { port, bind, services } = listener;
  if (port === undefined) {
    return services.flatMap((service) =>
      service.ports.flatMap(({ number, protocol }) => serviceRoutes({ service, number, protocol, bind }, all)),
    );
  }
  const { number, protocol } = port;
  if (number === 0) return isHttp(protocol) || protocol === "auto" ? [routeNamed(bind, 0, all)] : [];
  if (isHttp(protocol)) return [routeNamed(`${number}`, number, all)];
  return services.flatMap((service) => serviceRoutes({ service, number, protocol, bind }, all));
}

interface Served {
  readonly service: Service;
  readonly number: number;
  readonly protocol: Protocol;
  readonly bind: string;
}

function serviceRoutes(
  { service, number, protocol, bind }: Served,
  all: readonly ListenerAddress[],
): readonly NamedRoute[] {
  const shared = routeNamed(`${number}`, number, all);
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
function routeNamed(name: string, number: number, all: readonly ListenerAddress[]): NamedRoute {
  const listener = all.findIndex(
    ({ port, bind }) => port === undefined || (port.number === number && (number !== 0 || bind === name)),
  );
  const port = all[listener]?.port?.protocol === "HTTP_PROXY" ? 0 : number;
  const ignoresPort = number !== 0 || name === httpProxyName;
  return { name, listener, port, ignoresPort, hostname: undefined };
}
