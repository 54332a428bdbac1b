import type { ConfigId, Labels } from "../../../config/config.ts";
import { selects } from "../../../config/selector.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { memoize } from "../../../lib/memo.ts";
import { compareAge } from "../compare-age.ts";
import type { Conflict } from "../conflict.ts";
import type { PushContext } from "../push-context.ts";
import type { Gateway, GatewayServer } from "./gateway.ts";
import { gatewayRef, serverClass } from "./gateway.ts";
import type { PortTranslation } from "./port-translation.ts";
import { noTranslation } from "./port-translation.ts";

/** A server of a gateway that was accepted on its port. */
export interface MergedServer {
  readonly gateway: Gateway;
  readonly server: GatewayServer;
}

/** All servers that share one address and port, in the order in which they were accepted. */
export interface MergedPort {
  readonly bind: string;
  /** The listener port. Servers may declare a service port that maps to a different target port. */
  readonly port: number;
  readonly servers: readonly [MergedServer, ...MergedServer[]];
}

/** The merged listeners of some routers, sorted by port and address. */
export interface MergedGateway {
  readonly ports: readonly MergedPort[];
  /** Servers that are ignored because an earlier server conflicts with them. */
  readonly conflicts: readonly Conflict[];
}

/** Routers to which the same gateways apply. */
export interface Routers {
  readonly namespace: string;
  readonly labels: Labels;
  readonly translation: PortTranslation;
}

/** Merges the gateways that select these routers, oldest first. A later server that conflicts is ignored. */
export function mergedGatewayFor({ namespace, labels, translation }: Routers, push: PushContext): MergedGateway {
  return mergeSelected([push.gateways], { namespace, labels, translation });
}

const mergeSelected = memoize(
  ([gateways]: readonly [PushContext["gateways"]], { namespace, labels, translation }: Routers): MergedGateway => {
    const selected = [...gateways.values()].filter(
      ({ selector, selectsIn = namespace }) => selectsIn === namespace && selects(selector, labels),
    );
    return mergeGateways(selected, translation);
  },
);

export function mergeGateways(
  gateways: readonly Gateway[],
  translation: PortTranslation = noTranslation,
): MergedGateway {
  const drafts = new Map<string, PortDraft>();
  const conflicts: Conflict[] = [];
  for (const gateway of gateways.toSorted(compareAge)) {
    for (const server of gateway.servers) {
      const candidate = { gateway, server };
      const { bind } = server;
      const port = translation.get(server.port) ?? server.port;
      const key = `${port}/${bind}`;
      const draft = drafts.get(key);
      if (draft === undefined) drafts.set(key, new PortDraft(bind, port, candidate));
      else {
        const conflict = draft.offer(candidate);
        if (conflict !== undefined) conflicts.push(conflict);
      }
    }
  }
  const ports = Array.from(drafts.values(), (draft) => draft.merged());
  return { ports: ports.toSorted((a, b) => a.port - b.port || compareTexts(a.bind, b.bind)), conflicts };
}

/** Collects the servers of one address and port in order of arrival. */
class PortDraft {
  readonly #bind: string;
  readonly #port: number;
  readonly #first: MergedServer;
  readonly #others: MergedServer[] = [];
  readonly #claims = new Map<string, ConfigId>();

  constructor(bind: string, port: number, first: MergedServer) {
    this.#bind = bind;
    this.#port = port;
    this.#first = first;
    this.#claim(first);
  }

  /** Accepts a server, or returns the conflict that rejects the server. */
  offer(candidate: MergedServer): Conflict | undefined {
    const rival = this.#rivalOf(candidate);
    if (rival !== undefined) {
      const about = `${this.#bind === "" ? "*" : this.#bind}:${this.#port}`;
      return { type: "gateway-server", about, losers: [candidate.gateway.owner], ...rival };
    }
    this.#others.push(candidate);
    this.#claim(candidate);
    return undefined;
  }

  merged(): MergedPort {
    return { bind: this.#bind, port: this.#port, servers: [this.#first, ...this.#others] };
  }

  /** Plain HTTP servers share a port by host, TLS servers by SNI. The proxy cannot separate other servers. */
  #rivalOf(candidate: MergedServer): Pick<Conflict, "winner" | "reason"> | undefined {
    const { server } = candidate;
    const kind = sharingMode(server);
    if (kind === "none" || kind !== sharingMode(this.#first.server)) {
      return { winner: this.#first.gateway.owner, reason: "only servers of HTTP, or of TLS, share a port" };
    }
    const taken = claimsOf(candidate).find((claim) => this.#claims.has(claim));
    if (taken === undefined) return undefined;
    return { winner: this.#claims.get(taken), reason: `the older gateway has ${taken} on this port` };
  }

  #claim(merged: MergedServer): void {
    for (const claim of claimsOf(merged)) this.#claims.set(claim, merged.gateway.owner);
  }
}

function sharingMode(server: GatewayServer): "by host" | "by SNI" | "none" {
  if (serverClass(server) === "http") return "by host";
  return server.tls === undefined ? "none" : "by SNI";
}

/**
 * Claims that only one server of a port may hold. Envoy rejects a listener with two filter chains for one SNI. One
 * route configuration name cannot route requests of two servers. Where the gateway terminates TLS, the SNI is the host,
 * for every namespace. Servers that only redirect count as well.
 */
function claimsOf(merged: MergedServer): readonly string[] {
  const { server } = merged;
  if (server.tls === undefined) return [];
  const hosts = server.hosts.map(({ namespace, hostname }) => `${namespace}/${hostname}`);
  const names = terminatesTls(server) ? server.hosts.map(({ hostname }) => hostname) : [];
  return [...hosts, ...names, ...(serverClass(server) === "https" ? [httpsRouteName(merged)] : [])];
}

function terminatesTls(server: GatewayServer): boolean {
  const kind = serverClass(server);
  return kind === "https" || (kind === "tcp" && server.tls !== undefined);
}

/** Servers whose requests one route configuration routes. */
export interface RouteTable {
  readonly name: string;
  readonly servers: MergedPort["servers"];
}

/** The route configurations of a port: one for all of its plain HTTP, one for each server that terminates HTTPS. */
export function routeTablesOf(port: MergedPort): readonly RouteTable[] {
  const { servers } = port;
  if (serverClass(servers[0].server) === "http") return [{ name: httpRouteName(port), servers }];
  return servers
    .filter(({ server }) => serverClass(server) === "https")
    .map((each) => ({ name: httpsRouteName(each), servers: [each] }));
}

/** The name of the route configuration for all plain HTTP of a port. */
export function httpRouteName({ port, bind }: MergedPort): string {
  return `http.${port}${suffixFor(bind)}`;
}

/** The name of the route configuration of an HTTPS server: it uses the declared port, not the listener port. */
export function httpsRouteName({ gateway, server }: MergedServer): string {
  const { port, portName, bind } = server;
  return `https.${port}.${portName}.${gateway.name}.${gateway.namespace}${suffixFor(bind)}`;
}

function suffixFor(bind: string): string {
  return bind === "" ? "" : `.${bind}`;
}

/** The gateways that some servers belong to. */
export function gatewayRefsOf({ servers }: { readonly servers: readonly MergedServer[] }): ReadonlySet<string> {
  return new Set(servers.map(({ gateway }) => gatewayRef(gateway)));
}
