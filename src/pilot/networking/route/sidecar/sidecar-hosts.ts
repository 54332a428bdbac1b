import type { ConfigId } from "../../../../config/config.ts";
import { assert } from "../../../../lib/assert.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { Service } from "../../../model/service/service.ts";
import { ownersOf } from "../../../model/traffic/virtual-service.ts";
import { hostAndPort } from "../../address.ts";
import type { VirtualHost } from "../virtual-host.ts";
import { DomainClaims } from "./domain-claims.ts";
import { egressIndexOf } from "./egress-index.ts";
import { type HostGroup, hostGroups, type ListenerInputs } from "./host-groups.ts";
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

/** The virtual hosts of a listener, before encoding. */
export function sidecarHosts(inputs: SidecarHostsInputs, writer: ProtoWriter): SidecarHosts {
  const { egress, port, ignoresPort, dnsDomain, families, settings } = inputs;
  const { countsAttempts } = settings;
  const services = egressIndexOf(egress).servicesOn(port);
  const { groups: all, byService } = hostGroups(inputs, writer);
  const claims = new DomainClaims((domain) => services.has(domain) || (port === 0 && byService.has(domain)));
  const hosts: SidecarHost[] = [];
  const add = (group: HostGroup, hostname: string, wanted: ServiceDomains, service: Service | undefined) => {
    const name = hostAndPort(hostname, group.port);
    const owner = group.virtualService?.owner ?? service?.owner;
    assert(owner !== undefined, "a host is a service's, or a virtual service's");
    const domains = claims.claim(name, wanted, owner);
    if (domains.length > 0) hosts.push(hostOf(group, { name, domains, service, countsAttempts }));
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
  return { hosts: hosts.toSorted((a, b) => compareTexts(a.name, b.name)), conflicts: claims.conflicts };
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
  return { name, domains, routes: [routes], requireTls: false, countsAttempts, owners };
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
