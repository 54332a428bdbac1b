import { selects } from "../../config/selector.ts";
import { compareTexts } from "../../lib/compare.ts";
import { Memo } from "../../lib/memo.ts";
import { compareAge } from "./compare-age.ts";
import type { Gateway, Server } from "./gateway.ts";
import { gatewayRef } from "./gateway.ts";
import type { Labels } from "./labels.ts";
import { labelsId } from "./labels.ts";
import { isHttp } from "./protocol-class.ts";
import type { PushContext } from "./push-context.ts";

/** A server of a gateway that was accepted on its port. */
export interface MergedServer {
  readonly gateway: Gateway;
  readonly server: Server;
}

/** All servers that share one address and port, in the order in which they were accepted. */
export interface MergedPort {
  readonly bind: string;
  readonly port: number;
  readonly servers: readonly [MergedServer, ...MergedServer[]];
}

/** What the routers with some labels listen on, sorted by port and address. */
export interface MergedGateway {
  readonly ports: readonly MergedPort[];
}

const merged = new Memo<MergedGateway>();

/** Merges the gateways that select these labels, oldest first: a later server that does not fit is left out. */
export function mergedGatewayFor(labels: Labels, push: PushContext): MergedGateway {
  return merged.get([push.gateways], labelsId(labels), () => {
    const selected = [...push.gateways.values()].filter(({ selector }) => selects(selector, labels));
    return mergeGateways(selected);
  });
}

export function mergeGateways(gateways: readonly Gateway[]): MergedGateway {
  const ports = new Map<string, { readonly first: MergedServer; readonly others: MergedServer[] }>();
  for (const gateway of gateways.toSorted(compareAge)) {
    for (const server of gateway.servers) {
      const key = `${server.port}/${server.bind}`;
      const candidate = { gateway, server };
      const entry = ports.get(key);
      if (entry === undefined) ports.set(key, { first: candidate, others: [] });
      else if (fits(server, [entry.first, ...entry.others])) entry.others.push(candidate);
    }
  }
  const list = Array.from(
    ports.values(),
    ({ first, others }): MergedPort => ({
      bind: first.server.bind,
      port: first.server.port,
      servers: [first, ...others],
    }),
  );
  return { ports: list.toSorted((a, b) => a.port - b.port || compareTexts(a.bind, b.bind)) };
}

/** Plain HTTP servers share a port by host, TLS servers by SNI. Nothing else can be told apart. */
function fits(server: Server, present: readonly MergedServer[]): boolean {
  if (repeatsHost(server, present)) return false;
  if (!usesTls(server)) return isHttp(server.protocol) && present.every((other) => isHttp(other.server.protocol));
  return present.every((other) => usesTls(other.server));
}

/** Two filter chains for one SNI would make Envoy reject the listener; servers that only redirect count as well. */
function repeatsHost(server: Server, present: readonly MergedServer[]): boolean {
  if (server.tls === undefined) return false;
  const taken = new Set(
    present.flatMap((other) => (other.server.tls === undefined ? [] : other.server.hosts.map(hostId))),
  );
  return server.hosts.some((host) => taken.has(hostId(host)));
}

function usesTls(server: Server): boolean {
  return server.tls !== undefined && !isHttp(server.protocol);
}

function hostId({ namespace, hostname }: Server["hosts"][number]): string {
  return `${namespace}/${hostname}`;
}

/** The name of the route configuration of a plain HTTP port; undefined for ports that have none. */
export function httpRouteName({ bind, port, servers }: MergedPort): string | undefined {
  if (!isHttp(servers[0].server.protocol)) return undefined;
  return bind === "" ? `http.${port}` : `http.${port}.${bind}`;
}

/** The gateways whose servers were accepted on a port. */
export function gatewayRefsOf({ servers }: MergedPort): ReadonlySet<string> {
  return new Set(servers.map(({ gateway }) => gatewayRef(gateway)));
}
