import type { Labels } from "../../../../config/config.ts";
import { meshGateway } from "../../../../config/grammar/gateway-reference.ts";
import { isWildcard } from "../../../../config/grammar/hostname.ts";
import { append } from "../../../../lib/append.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { sameElements } from "../../../../lib/same-elements.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { EgressScope } from "../../../model/scope/sidecar-scope.ts";
import { isHttp, onlyPortOf, type Port, type Service } from "../../../model/service/service.ts";
import type { HashLookup } from "../../../model/traffic/applied-hash.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import { hostAndPort } from "../../address.ts";
import type { ForwardSettings } from "../action/forward.ts";
import { buildRoutes, type EncodedRoute } from "../build-routes.ts";
import { selectRoutes } from "../select-routes.ts";
import { defaultRoutes } from "./default-routes.ts";
import { egressIndexOf, matching, serviceIndexOf, type ServicesByHostname } from "./egress-index.ts";
import { type Difference, differenceOf, LastMade } from "./last-made.ts";

/** All that decides which hosts a listener serves and how their requests are routed. */
export interface ListenerInputs {
  readonly egress: EgressScope;
  /** 0 for a listener that serves every port of every service: an HTTP proxy, a unix socket. */
  readonly port: number;
  /** Of the proxies that ask. */
  readonly namespace: string;
  readonly labels: Labels;
  readonly mesh: MeshSettings;
  readonly settings: RouteSettings;
  /** Of the destinations that the proxies see. */
  readonly hashes: HashLookup;
}

/** With only the settings that routes depend on. */
type GroupInputs = Omit<ListenerInputs, "settings"> & { readonly settings: ForwardSettings };

/** Hosts that have the same routes on a port. */
export interface HostGroup {
  readonly port: number;
  readonly services: readonly Service[];
  /** Hosts of the virtual service that are no services on this listener. */
  readonly hostnames: readonly string[];
  readonly routes: readonly EncodedRoute[];
  /** Undefined for the group of a service without a virtual service. */
  readonly virtualService: VirtualService | undefined;
}

/** The hosts of one listener. */
export interface HostGroups {
  /** Groups of virtual services come first: the first claim of a domain wins. */
  readonly groups: readonly HostGroup[];
  /** The group that decides about a service, by `hostname:port`. */
  readonly byService: ReadonlyMap<string, HostGroup>;
}

/**
 * The hosts of a listener. Virtual services are not merged: the first of a name decides. For services that a wildcard
 * matches, the most specific name decides. Services without a virtual service get default routes.
 */
export function hostGroups(inputs: ListenerInputs, writer: ProtoWriter): HostGroups {
  const { egress, port, namespace, labels, mesh, settings, hashes } = inputs;
  const { appendsForwardedHost } = settings;
  return buildGroups([egress, mesh, hashes, writer], { port, namespace, labels, settings: { appendsForwardedHost } });
}

type Held = readonly [EgressScope, MeshSettings, HashLookup, ProtoWriter];
type Facts = Pick<GroupInputs, "port" | "namespace" | "labels" | "settings">;

const buildGroups = memoize(([egress, mesh, hashes, writer]: Held, facts: Facts): HostGroups => {
  const inputs = { ...facts, egress, mesh, hashes };
  const around = [mesh, hashes, writer];
  const { virtualServices } = egress;
  return lastGroups.revise(egress.services, facts, (before) => {
    const known = before !== undefined && sameElements(before.around, around) ? before : undefined;
    const made = (known && revisedGroups(known, inputs, writer)) ?? allGroups(inputs, writer);
    return { ...made, services: egress.services, virtualServices, around };
  });
});

/** The groups of a listener, and what they were made from, beside the facts. */
interface MadeGroups extends HostGroups {
  readonly services: readonly Service[];
  readonly virtualServices: readonly VirtualService[];
  readonly around: readonly unknown[];
}

const lastGroups = new LastMade<MadeGroups>();

/** Lets listeners with other services begin with the groups of these. */
export function carryGroups(from: EgressScope, to: EgressScope, namespace: string): void {
  lastGroups.carry(from.services, to.services, namespace);
}

function allGroups(inputs: GroupInputs, writer: ProtoWriter): HostGroups {
  const { egress, port } = inputs;
  const groups: HostGroup[] = [];
  const byService = new Map<string, HostGroup>();
  const add = (group: HostGroup) => {
    groups.push(group);
    for (const { hostname } of group.services) {
      const name = hostAndPort(hostname, group.port);
      if (!byService.has(name)) byService.set(name, group);
    }
  };
  for (const virtualService of egress.virtualServices) ownGroups(virtualService, inputs, writer).forEach(add);
  for (const service of egressIndexOf(egress).servicesOn(port).values()) {
    for (const { number } of httpPorts(service, port)) {
      if (byService.has(hostAndPort(service.hostname, number))) continue;
      add(defaultGroup(service, number, inputs, writer));
    }
  }
  return { groups, byService };
}

/** The group of a service without a virtual service. */
function defaultGroup(service: Service, port: number, inputs: GroupInputs, writer: ProtoWriter): HostGroup {
  const routes = defaultRoutes(service, port, inputs, writer);
  return { port, services: [service], hostnames: [], routes, virtualService: undefined };
}

/** The groups after an edit of few objects: only their own groups are made again. Undefined if others could differ too. */
function revisedGroups(before: MadeGroups, inputs: GroupInputs, writer: ProtoWriter): HostGroups | undefined {
  const isSame = before.services === inputs.egress.services;
  return isSame ? groupsOfEdited(before, inputs, writer) : groupsOfMoved(before, inputs, writer);
}

/** The groups after services came and went that no virtual service speaks for. */
function groupsOfMoved(before: MadeGroups, inputs: GroupInputs, writer: ProtoWriter): HostGroups | undefined {
  const { egress, port } = inputs;
  const { services, virtualServices } = egress;
  // A listener of all ports serves the services of every other one.
  if (port === 0 || !sameElements(before.virtualServices, virtualServices)) return undefined;
  const moved = movedServices(before.services, egress);
  if (moved === undefined) return undefined;
  const byService = new Map(before.byService);
  const removed = moved.removed.flatMap(({ hostname }) => byService.get(hostAndPort(hostname, port)) ?? []);
  for (const { hostname } of moved.removed) byService.delete(hostAndPort(hostname, port));
  const added = moved.added
    .filter((service) => httpPorts(service, port).length > 0)
    .map((service) => defaultGroup(service, port, inputs, writer));
  for (const group of added)
    for (const { hostname } of group.services) byService.set(hostAndPort(hostname, port), group);
  const at = defaultsUpTo(services.slice(0, moved.at), port, before);
  const end = at + removed.length;
  if (!sameElements(before.groups.slice(at, end), removed)) return undefined;
  return { groups: [...before.groups.slice(0, at), ...added, ...before.groups.slice(end)], byService };
}

/** The position after the default groups of these services. Default groups come last, in the order of their services. */
function defaultsUpTo(services: readonly Service[], port: number, { groups, byService }: HostGroups): number {
  for (let index = services.length - 1; index >= 0; index--) {
    const group = byService.get(hostAndPort(services[index]?.hostname ?? "", port));
    if (group !== undefined && isDefault(group)) return groups.indexOf(group) + 1;
  }
  const first = groups.findIndex(isDefault);
  return first === -1 ? groups.length : first;
}

function isDefault({ virtualService }: HostGroup): boolean {
  return virtualService === undefined;
}

/** The services that came and went. Undefined if virtual services or other names could depend on one of them. */
function movedServices(before: readonly Service[], egress: EgressScope): Difference<Service> | undefined {
  const moved = differenceOf(before, egress.services);
  if (moved === undefined) return undefined;
  // Hostnames that differ in case only are one name, in the place of the first.
  const hasTwins = [before, egress.services].some(
    (services) => serviceIndexOf(services).servicesOn(0).size < services.length,
  );
  const index = egressIndexOf(egress);
  const isAlone = ({ hostname, aliases }: Service) =>
    aliases.length === 0 && !isWildcard(hostname) && index.virtualServiceFor(hostname) === undefined;
  return !hasTwins && [...moved.removed, ...moved.added].every(isAlone) ? moved : undefined;
}

/** The groups after an edit of virtual services that keep their hosts. */
function groupsOfEdited(before: MadeGroups, inputs: GroupInputs, writer: ProtoWriter): HostGroups | undefined {
  const edited = editedAmong(before.virtualServices, inputs.egress.virtualServices);
  if (edited === undefined) return undefined;
  const groups = [...before.groups];
  const byService = new Map(before.byService);
  const made = new Map<VirtualService, HostGroup[]>();
  for (const [old, after] of edited) made.set(old, [...ownGroups(after, inputs, writer)]);
  for (let index = 0; index < groups.length; index++) {
    const old = groups[index];
    const queue = old?.virtualService && made.get(old.virtualService);
    if (old === undefined || queue === undefined) continue;
    const group = queue.shift();
    if (group === undefined || !hasSameHosts(old, group)) return undefined;
    groups[index] = group;
    for (const { hostname } of group.services) {
      const name = hostAndPort(hostname, group.port);
      if (byService.get(name) === old) byService.set(name, group);
    }
  }
  for (const rest of made.values()) if (rest.length > 0) return undefined;
  return { groups, byService };
}

/** The edited virtual services, before and after. Undefined if hosts, owners or the order differ. */
function editedAmong(
  before: readonly VirtualService[],
  after: readonly VirtualService[],
): ReadonlyMap<VirtualService, VirtualService> | undefined {
  if (before.length !== after.length) return undefined;
  const edited = new Map<VirtualService, VirtualService>();
  for (let index = 0; index < after.length; index++) {
    const [old, now] = [before[index], after[index]];
    if (old === undefined || now === undefined || old === now) continue;
    if (old.owner !== now.owner || !sameElements(old.hosts, now.hosts)) return undefined;
    edited.set(old, now);
  }
  return edited;
}

/** Whether two groups claim the same names and domains for the same object. Their routes may differ. */
export function hasSameHosts(a: HostGroup, b: HostGroup): boolean {
  const isSame = a.port === b.port && a.virtualService?.owner === b.virtualService?.owner;
  return isSame && sameElements(a.services, b.services) && sameElements(a.hostnames, b.hostnames);
}

/** One group per port that the virtual service's services have. None where it has no route that applies. */
function ownGroups(virtualService: VirtualService, inputs: GroupInputs, writer: ProtoWriter): readonly HostGroup[] {
  const { services, hostnames } = divideHosts(virtualService, inputs);
  const byPort = new Map<number, Service[]>();
  for (const service of new Set(services)) {
    for (const { number } of httpPorts(service, inputs.port)) {
      const present = byPort.get(number);
      if (present === undefined) byPort.set(number, [service]);
      else present.push(service);
    }
  }
  // Unregistered hosts are served on port 80.
  if (byPort.size === 0 && inputs.port === 80) byPort.set(80, []);
  return [...byPort]
    .map(([port, list]) => {
      const routes = routesOf(virtualService, port, inputs, writer);
      return { port, services: list, hostnames, routes, virtualService };
    })
    .filter(({ routes }) => routes.length > 0);
}

interface DividedHosts {
  readonly services: readonly Service[];
  readonly hostnames: readonly string[];
}

/** Which of a virtual service's hosts are services of the listener, and which are only names. */
function divideHosts(virtualService: VirtualService, { egress, port }: GroupInputs): DividedHosts {
  const index = egressIndexOf(egress);
  const known = index.namesOn(port);
  const services: Service[] = [];
  const hostnames: string[] = [];
  for (const host of virtualService.hosts) {
    const meant = matchingServices(host, known);
    if (meant.length === 0) hostnames.push(host);
    else if (!isWildcard(host)) append(services, meant);
    else {
      append(
        services,
        meant.filter(({ hostname }) => index.virtualServiceFor(hostname) === virtualService),
      );
    }
  }
  return { services, hostnames };
}

function matchingServices(host: string, known: ServicesByHostname): readonly Service[] {
  const hostnames = isWildcard(host) ? matching(host, [...known.keys()]) : [host.toLowerCase()];
  return hostnames.flatMap((hostname) => known.get(hostname) ?? []);
}

function routesOf(
  virtualService: VirtualService,
  port: number,
  { egress, port: listenPort, namespace, labels, mesh, settings, hashes }: GroupInputs,
  writer: ProtoWriter,
): readonly EncodedRoute[] {
  const index = egressIndexOf(egress);
  const everywhere = listenPort === 0 ? index.servicesOn(0) : undefined;
  const aliases = index.aliasesOn(listenPort);
  return buildRoutes(
    {
      virtualService,
      selected: selectRoutes(virtualService, { port, gateway: meshGateway, labels, namespace }),
      listenPort: port,
      tls: false,
      mesh,
      settings,
      resolve: (backend) => ({
        hostname: aliases.get(backend.hostname.toLowerCase())?.target.hostname ?? backend.hostname,
        // The listener's port, or, for listeners of all ports, the service's port.
        port: backend.port ?? onlyPortOf(everywhere?.get(backend.hostname.toLowerCase())) ?? port,
        hash: hashes(backend),
      }),
    },
    writer,
  );
}

/** The ports of a service with HTTP, or with protocol detection. */
function httpPorts({ ports }: Service, listenPort: number): readonly Port[] {
  return ports.filter(
    ({ number, protocol }) => (listenPort === 0 || number === listenPort) && (isHttp(protocol) || protocol === "auto"),
  );
}
