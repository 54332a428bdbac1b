import { assert } from "../../../../lib/assert.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { EgressScope, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import type { Service } from "../../../model/service/service.ts";
import type { HashLookup } from "../../../model/traffic/applied-hash.ts";
import { hostAndPort } from "../../address.ts";
import { DomainClaims } from "./domain-claims.ts";
import { egressIndexOf } from "./egress-index.ts";
import { carryGroups, type HostGroup, type HostGroups, hostGroups, type ListenerInputs } from "./host-groups.ts";
import { LastMade } from "./last-made.ts";
import { byName, encodedHosts, type MadeHost, type MadeHosts, madeHost, type SidecarHosts } from "./made-hosts.ts";
import { revisedHosts, type SidecarHostsInputs } from "./revised-hosts.ts";
import { domainsSpelt, type ServiceDomains, type Spelling, spellingOf, spellings } from "./service-domains.ts";

/**
 * The virtual hosts of a listener. After an edit, hosts that did not change are the same objects, and they are not
 * encoded again.
 */
export function sidecarHosts(inputs: SidecarHostsInputs, writer: ProtoWriter): SidecarHosts {
  const { egress, mesh, hashes, port, ignoresPort, namespace, labels, dnsDomain, families, settings } = inputs;
  const { countsAttempts, appendsForwardedHost } = settings;
  const facts = { port, ignoresPort, namespace, labels, dnsDomain, families };
  return makeHosts([egress, mesh, hashes, writer], { ...facts, settings: { countsAttempts, appendsForwardedHost } });
}

/** Lets the listeners of a scope begin with what was made for the scope before it. The results do not depend on it. */
export function carryHosts(before: CallerScope, after: CallerScope): void {
  for (const [index, to] of after.egress.entries()) {
    const from = before.egress[index];
    if (from === undefined) continue;
    carryGroups(from, to, after.namespace);
    lastHosts.carry(from.services, to.services, after.namespace);
  }
}

type CallerScope = Pick<SidecarScope, "namespace" | "egress">;

type Held = readonly [EgressScope, MeshSettings, HashLookup, ProtoWriter];
type Facts = Omit<SidecarHostsInputs, "egress" | "mesh" | "hashes">;

const makeHosts = memoize(([egress, mesh, hashes, writer]: Held, facts: Facts): SidecarHosts => {
  const inputs = { ...facts, egress, mesh, hashes };
  const groups = hostGroups(inputs, writer);
  return lastHosts.revise(egress.services, facts, (before) => {
    const known = before?.writer === writer ? before : undefined;
    return (known && revisedHosts(known, groups, inputs)) ?? claimHosts(inputs, groups, writer);
  });
});

const lastHosts = new LastMade<MadeHosts>();

function claimHosts(inputs: SidecarHostsInputs, { groups, byService }: HostGroups, writer: ProtoWriter): MadeHosts {
  const { egress, port, ignoresPort, settings } = inputs;
  const { countsAttempts } = settings;
  const services = egressIndexOf(egress).servicesOn(port);
  const claims = new DomainClaims((domain) => services.has(domain) || (port === 0 && byService.has(domain)));
  const made: MadeHost[] = [];
  const add = (group: HostGroup, hostname: string, wanted: ServiceDomains, service: Service | undefined) => {
    const name = hostAndPort(hostname, group.port);
    const owner = group.virtualService?.owner ?? service?.owner;
    assert(owner !== undefined, "a host is a service's, or a virtual service's");
    const domains = claims.claim(name, wanted, owner);
    if (domains.length > 0) made.push(madeHost(group, { name, domains, service, countsAttempts }, writer));
  };
  const plainPorts = port === 0 && ignoresPort ? plainPortsOf(groups) : new Map<string, number>();
  for (const [number, ofPort] of Map.groupBy(groups, (group) => group.port)) {
    const spelt = (plain: number) => spellingOf(number, inputs, plain);
    for (const group of ofPort) {
      for (const hostname of group.hostnames) add(group, hostname, plainDomains(hostname, spelt(80)), undefined);
      for (const service of group.services) {
        const { hostname } = service;
        add(group, hostname, domainsSpelt(spelt(plainPorts.get(hostname) ?? 80))(service), service);
      }
    }
  }
  const { conflicts, lost } = claims;
  const hosts = made.toSorted(byName);
  return { services: egress.services, groups, writer, hosts, conflicts, lost, encoded: encodedHosts(hosts) };
}

/** The only virtual host of a listener for one port of one service. It accepts every host. */
export function onlyHost(inputs: ListenerInputs, hostname: string, writer: ProtoWriter): readonly MadeHost[] {
  const name = hostAndPort(hostname, inputs.port);
  const { countsAttempts } = inputs.settings;
  const group = hostGroups(inputs, writer).byService.get(name);
  const service = group?.services.find((each) => each.hostname === hostname);
  return group === undefined ? [] : [madeHost(group, { name, domains: ["*"], service, countsAttempts }, writer)];
}

/** The domains of a name without a service: it has no other forms. */
function plainDomains(hostname: string, spelling: Spelling): ServiceDomains {
  return { domains: spellings(hostname, spelling), alternates: noAlternates };
}

const noAlternates: ReadonlySet<string> = new Set();

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
