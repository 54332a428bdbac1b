import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { Service } from "../../../model/service/service.ts";
import { hostAndPort } from "../../address.ts";
import { egressIndexOf } from "./egress-index.ts";
import { type HostGroup, type HostGroups, hasSameHosts, type ListenerInputs } from "./host-groups.ts";
import { differenceOf } from "./last-made.ts";
import { byName, encodedHosts, type MadeHost, type MadeHosts, madeHost, withHosts } from "./made-hosts.ts";
import { domainsSpelt, type ServiceDomains, spellingOf } from "./service-domains.ts";

/** All inputs of the virtual hosts of a sidecar's listener. */
export interface SidecarHostsInputs extends ListenerInputs {
  /** Whether Envoy looks for the host of a request without its port. */
  readonly ignoresPort: boolean;
  /** Of the proxies that ask: decides how short a name may be. */
  readonly dnsDomain: string;
  /** Of the proxies that ask: decides which addresses are domains. */
  readonly families: AddressFamilies;
}

/** The hosts after an edit of few objects. Undefined if hosts of others could differ too. */
export function revisedHosts(
  before: MadeHosts,
  { groups }: HostGroups,
  inputs: SidecarHostsInputs,
): MadeHosts | undefined {
  const isSame = before.services === inputs.egress.services;
  return isSame ? hostsOfEdited(before, groups, inputs) : hostsOfMoved(before, groups, inputs);
}

/** The hosts of groups that claim the same names and domains as before: only the routes of some differ. */
function hostsOfEdited(
  before: MadeHosts,
  groups: readonly HostGroup[],
  { settings }: SidecarHostsInputs,
): MadeHosts | undefined {
  if (groups.length !== before.groups.length) return undefined;
  const replaced = new Map<HostGroup, HostGroup>();
  for (let index = 0; index < groups.length; index++) {
    const [old, group] = [before.groups[index], groups[index]];
    if (old === undefined || group === undefined || old === group) continue;
    if (!hasSameHosts(old, group)) return undefined;
    replaced.set(old, group);
  }
  const { countsAttempts } = settings;
  const changed = new Map<number, MadeHost>();
  // A loop without calls: there may be ten thousand hosts.
  for (let index = 0; index < before.hosts.length; index++) {
    const host = before.hosts[index];
    const group = host && replaced.get(host.group);
    if (host === undefined || group === undefined) continue;
    const { name, domains, service } = host;
    changed.set(index, madeHost(group, { name, domains, service, countsAttempts }, before.writer));
  }
  return withHosts({ ...before, groups }, changed);
}

/** The hosts after services came and went whose names nobody else claims. */
function hostsOfMoved(
  before: MadeHosts,
  groups: readonly HostGroup[],
  inputs: SidecarHostsInputs,
): MadeHosts | undefined {
  const { egress, port, settings } = inputs;
  const services = differenceOf(before.services, egress.services);
  const moved = differenceOf(before.groups, groups);
  // A listener of all ports names a service by port.
  if (services === undefined || moved === undefined || port === 0) return undefined;
  const areDefaults = [...moved.removed, ...moved.added].every(({ virtualService }) => virtualService === undefined);
  if (!areDefaults) return undefined;
  const gone = new Set(moved.removed);
  const kept: MadeHost[] = [];
  for (const host of before.hosts) if (!gone.has(host.group)) kept.push(host);
  // A group without a host had lost all of its domains.
  if (kept.length + gone.size !== before.hosts.length) return undefined;
  const left = hostClaims(moved.removed, inputs).flatMap(textsOf);
  const claims = hostClaims(moved.added, inputs);
  const wanted = claims.flatMap(textsOf);
  const touched = new Set([...names(services.added), ...wanted]);
  const isLost = !before.lost.isDisjointFrom(new Set([...names(services.removed), ...left, ...touched]));
  if (isLost || new Set(wanted).size < wanted.length || isAnyClaimed(touched, kept)) return undefined;
  const isService = egressIndexOf(egress).servicesOn(port);
  if (claims.some(({ alternates }) => alternates.values().some((domain) => isService.has(domain)))) return undefined;
  const { countsAttempts } = settings;
  const added = claims.map(({ group, name, service, domains }) =>
    madeHost(group, { name, service, domains, countsAttempts }, before.writer),
  );
  const hosts = [...kept, ...added].toSorted(byName);
  return { ...before, services: egress.services, groups, hosts, encoded: encodedHosts(hosts) };
}

/** The claim of the host of a service without a virtual service. */
interface HostClaim extends ServiceDomains {
  readonly group: HostGroup;
  readonly service: Service;
  readonly name: string;
}

function hostClaims(groups: readonly HostGroup[], inputs: SidecarHostsInputs): readonly HostClaim[] {
  const { port, dnsDomain, families } = inputs;
  const domainsOf = domainsSpelt(spellingOf(port, { port, dnsDomain, families }));
  return groups.flatMap((group) =>
    group.services.map((service) => {
      return { group, service, name: hostAndPort(service.hostname, port), ...domainsOf(service) };
    }),
  );
}

function names(services: readonly Service[]): readonly string[] {
  return services.map(({ hostname }) => hostname.toLowerCase());
}

function textsOf({ name, domains }: HostClaim): readonly string[] {
  return [name, ...domains];
}

/** Whether one of the hosts has one of these names or domains. A loop without calls: it looks at every host. */
function isAnyClaimed(texts: ReadonlySet<string>, hosts: readonly MadeHost[]): boolean {
  for (const { name, domains } of hosts) {
    if (texts.has(name)) return true;
    for (const domain of domains) if (texts.has(domain)) return true;
  }
  return false;
}
