import type { ConfigId } from "../../../../config/config.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer.ts";
import type { Service } from "../../../model/service.ts";
import { hostAndPort } from "../host-and-port.ts";
import type { VirtualHost } from "../virtual-host.ts";
import { DomainClaims } from "./domain-claims.ts";
import type { HostGroup, ListenerInputs } from "./host-groups.ts";
import { hostGroups } from "./host-groups.ts";
import { type PortForm, type ServiceDomains, serviceDomains, spelling } from "./service-domains.ts";

/** All that the virtual hosts of a sidecar's listener depend on. */
export interface SidecarHostsInputs extends ListenerInputs {
  /** Of the proxies that ask: decides how short a name may be. */
  readonly dnsDomain: string;
}

export interface SidecarHost extends VirtualHost {
  /** The service and the virtual service that it was made of. */
  readonly owners: readonly ConfigId[];
}

/** The virtual hosts of a listener, before encoding, sorted by name. No two have a name or a domain in common. */
export function sidecarHosts(inputs: SidecarHostsInputs, writer: ProtoWriter): readonly SidecarHost[] {
  const { groups } = hostGroups(inputs, writer);
  const services = groups.flatMap((group) => group.services.map(({ hostname }) => hostname.toLowerCase()));
  const claims = new DomainClaims(new Set(services));
  const hosts: SidecarHost[] = [];
  const add = (group: HostGroup, hostname: string, service: Service | undefined) => {
    const name = hostAndPort(hostname, group.port);
    const domains = claims.claim(name, wantedDomains(hostname, service, group.port, inputs));
    if (domains.length > 0) hosts.push(hostOf(group, { name, domains, service }));
  };
  for (const group of groups) {
    for (const hostname of group.hostnames) add(group, hostname, undefined);
    for (const service of group.services) add(group, service.hostname, service);
  }
  return hosts.toSorted((a, b) => compareTexts(a.name, b.name));
}

/** The one virtual host of a listener that serves one port of one service, whatever requests call it. */
export function onlyHost(inputs: ListenerInputs, hostname: string, writer: ProtoWriter): readonly SidecarHost[] {
  const name = hostAndPort(hostname, inputs.port);
  const group = hostGroups(inputs, writer).byService.get(name);
  const service = group?.services.find((each) => each.hostname === hostname);
  return group === undefined ? [] : [hostOf(group, { name, domains: ["*"], service })];
}

interface Named {
  readonly name: string;
  readonly domains: readonly string[];
  readonly service: Service | undefined;
}

function hostOf({ routes, virtualService }: HostGroup, { name, domains, service }: Named): SidecarHost {
  const owners = [service?.owner, virtualService?.owner].filter((owner) => owner !== undefined);
  return { name, domains, routes: [routes], requireTls: false, owners };
}

function wantedDomains(
  hostname: string,
  service: Service | undefined,
  port: number,
  inputs: SidecarHostsInputs,
): ServiceDomains {
  const spell = spelling(formFor(port, inputs.port), port);
  if (service !== undefined) return serviceDomains(service, inputs.dnsDomain, spell);
  return { domains: spell(hostname), alternates: noAlternates };
}

const noAlternates: ReadonlySet<string> = new Set();

/** Where all ports share a listener, only the port of a request tells them apart; without one, port 80 is meant. */
function formFor(port: number, listenPort: number): PortForm {
  if (listenPort !== 0) return "without";
  return port === 80 ? "both" : "with";
}
