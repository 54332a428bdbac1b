import type { ConfigId } from "../../../../config/config.ts";
import { assert } from "../../../../lib/assert.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { EgressScope } from "../../../model/scope/sidecar-scope.ts";
import type { Service } from "../../../model/service/service.ts";
import type { HashLookup } from "../../../model/traffic/applied-hash.ts";
import { ownersOf } from "../../../model/traffic/virtual-service.ts";
import { hostAndPort } from "../../address.ts";
import type { VirtualHost } from "../virtual-host.ts";
import { DomainClaims } from "./domain-claims.ts";
import { egressIndexOf } from "./egress-index.ts";
import { type HostGroup, type HostGroups, hasSameHosts, hostGroups, type ListenerInputs } from "./host-groups.ts";
import { LastMade } from "./last-made.ts";
import { domainsSpelt, type PortForm, type ServiceDomains, type Spelling, spellings } from "./service-domains.ts";

/** All inputs of the virtual hosts of a sidecar's listener. */
export interface SidecarHostsInputs extends ListenerInputs {
  /** Whether Envoy looks for the host of a request without its port. */
  readonly ignoresPort: boolean;
  /** Of the proxies that ask: decides how short a name may be. */
  readonly dnsDomain: string;
  /** Of the proxies that ask: decides which addresses are domains. */
  readonly families: AddressFamilies;
}

/** A virtual host of a sidecar. */
export interface SidecarHost extends VirtualHost {
  /** Undefined for a host of a virtual service that is no service. */
  readonly service: Service | undefined;
  /** Its source objects: the service, virtual services and rules. */
  readonly owners: readonly ConfigId[];
}

/** The virtual hosts of one route configuration. */
export interface SidecarHosts {
  /** Sorted by name. No two have a name or a domain in common. */
  readonly hosts: readonly SidecarHost[];
  /** Claims of names that another owner has. */
  readonly conflicts: readonly Conflict[];
}

/** The virtual hosts of a listener, before encoding. After an edit, hosts that did not change are the same objects. */
export function sidecarHosts(inputs: SidecarHostsInputs, writer: ProtoWriter): SidecarHosts {
  const { egress, mesh, hashes, port, ignoresPort, namespace, labels, dnsDomain, families, settings } = inputs;
  const { countsAttempts, appendsForwardedHost } = settings;
  const facts = { port, ignoresPort, namespace, labels, dnsDomain, families };
  return makeHosts([egress, mesh, hashes, writer], { ...facts, settings: { countsAttempts, appendsForwardedHost } });
}

type Held = readonly [EgressScope, MeshSettings, HashLookup, ProtoWriter];
type Facts = Omit<SidecarHostsInputs, "egress" | "mesh" | "hashes">;

const makeHosts = memoize(([egress, mesh, hashes, writer]: Held, facts: Facts): SidecarHosts => {
  const inputs = { ...facts, egress, mesh, hashes };
  const { groups, byService } = hostGroups(inputs, writer);
  return lastHosts.revise(egress.services, facts, (before) => {
    const revised = before && revisedHosts(before, groups, facts.settings);
    return revised ?? claimHosts(inputs, { groups, byService });
  });
});

/** The hosts of a listener, and what they were made from, beside the services and facts. */
interface MadeHosts extends SidecarHosts {
  readonly groups: readonly HostGroup[];
  /** The group of each host. */
  readonly groupsOf: readonly HostGroup[];
}

const lastHosts = new LastMade<MadeHosts>();

/** The hosts of groups that claim the same names and domains as before: only the routes of some differ. */
function revisedHosts(
  before: MadeHosts,
  groups: readonly HostGroup[],
  { countsAttempts }: RouteSettings,
): MadeHosts | undefined {
  if (groups.length !== before.groups.length) return undefined;
  const replaced = new Map<HostGroup, HostGroup>();
  for (let index = 0; index < groups.length; index++) {
    const [old, group] = [before.groups[index], groups[index]];
    if (old === undefined || group === undefined || old === group) continue;
    if (!hasSameHosts(old, group)) return undefined;
    replaced.set(old, group);
  }
  const hosts = [...before.hosts];
  const groupsOf = [...before.groupsOf];
  for (let index = 0; index < hosts.length; index++) {
    const host = hosts[index];
    const old = groupsOf[index];
    const group = old && replaced.get(old);
    if (host === undefined || group === undefined) continue;
    const { name, domains, service } = host;
    hosts[index] = hostOf(group, { name, domains, service, countsAttempts });
    groupsOf[index] = group;
  }
  return { hosts, conflicts: before.conflicts, groups, groupsOf };
}

function claimHosts(inputs: SidecarHostsInputs, { groups: all, byService }: HostGroups): MadeHosts {
  const { egress, port, ignoresPort, dnsDomain, families, settings } = inputs;
  const { countsAttempts } = settings;
  const services = egressIndexOf(egress).servicesOn(port);
  const claims = new DomainClaims((domain) => services.has(domain) || (port === 0 && byService.has(domain)));
  const made: { readonly host: SidecarHost; readonly group: HostGroup }[] = [];
  const add = (group: HostGroup, hostname: string, wanted: ServiceDomains, service: Service | undefined) => {
    const name = hostAndPort(hostname, group.port);
    const owner = group.virtualService?.owner ?? service?.owner;
    assert(owner !== undefined, "a host is a service's, or a virtual service's");
    const domains = claims.claim(name, wanted, owner);
    if (domains.length > 0) made.push({ group, host: hostOf(group, { name, domains, service, countsAttempts }) });
  };
  const plainPorts = port === 0 && ignoresPort ? plainPortsOf(all) : new Map<string, number>();
  for (const [number, groups] of Map.groupBy(all, (group) => group.port)) {
    const spelt = (plain: number) => ({ form: formFor(number, port, plain), port: number, dnsDomain, families });
    for (const group of groups) {
      for (const hostname of group.hostnames) add(group, hostname, plainDomains(hostname, spelt(80)), undefined);
      for (const service of group.services) {
        const { hostname } = service;
        add(group, hostname, domainsSpelt(spelt(plainPorts.get(hostname) ?? 80))(service), service);
      }
    }
  }
  const sorted = made.toSorted((a, b) => compareTexts(a.host.name, b.host.name));
  const hosts = sorted.map(({ host }) => host);
  return { hosts, conflicts: claims.conflicts, groups: all, groupsOf: sorted.map(({ group }) => group) };
}

/** The only virtual host of a listener for one port of one service. It accepts every host. */
export function onlyHost(inputs: ListenerInputs, hostname: string, writer: ProtoWriter): readonly SidecarHost[] {
  const name = hostAndPort(hostname, inputs.port);
  const { countsAttempts } = inputs.settings;
  const group = hostGroups(inputs, writer).byService.get(name);
  const service = group?.services.find((each) => each.hostname === hostname);
  return group === undefined ? [] : [hostOf(group, { name, domains: ["*"], service, countsAttempts })];
}

interface Named {
  readonly name: string;
  readonly domains: readonly string[];
  readonly service: Service | undefined;
  readonly countsAttempts: boolean;
}

function hostOf({ routes, virtualService }: HostGroup, { name, domains, service, countsAttempts }: Named): SidecarHost {
  const rules = routes.flatMap((route) => route.owners);
  const owners = [
    ...(service === undefined ? [] : [service.owner]),
    ...(virtualService === undefined ? [] : ownersOf(virtualService)),
    ...rules,
  ];
  return { name, service, domains, routes: [routes], requireTls: false, countsAttempts, owners };
}

/** The domains of a name without a service: it has no other forms. */
function plainDomains(hostname: string, spelling: Spelling): ServiceDomains {
  return { domains: spellings(hostname, spelling), alternates: noAlternates };
}

const noAlternates: ReadonlySet<string> = new Set();

/** Where all ports share a listener, only the port of a request tells them apart; without one, `plain` is meant. */
function formFor(port: number, listenPort: number, plain: number): PortForm {
  if (listenPort !== 0) return "without";
  return port === plain ? "both" : "with";
}

/** Where Envoy ignores the port of a request, one port of a service has to answer for it: 80, else the lowest. */
function plainPortsOf(groups: readonly HostGroup[]): ReadonlyMap<string, number> {
  const ports = new Map<string, number>();
  for (const { port, services } of groups) {
    for (const { hostname } of services) {
      const before = ports.get(hostname) ?? Number.POSITIVE_INFINITY;
      if (before !== 80 && (port === 80 || port < before)) ports.set(hostname, port);
    }
  }
  return ports;
}
