import type { ConfigId } from "../../../../config/config.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { sameElements } from "../../../../lib/same-elements.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { Service } from "../../../model/service/service.ts";
import { ownersOf } from "../../../model/traffic/virtual-service.ts";
import { distinctSorted } from "../../make-resource.ts";
import { encodeVirtualHost, type VirtualHost } from "../virtual-host.ts";
import type { HostGroup } from "./host-groups.ts";

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
  readonly encoded: EncodedHosts;
}

/** The virtual hosts as a route configuration needs them. */
export interface EncodedHosts {
  /** Per host. */
  readonly bytes: readonly Uint8Array[];
  /** The owners of all hosts, sorted, each once. */
  readonly owners: readonly ConfigId[];
  /** By the name of the host. */
  readonly hostOwners: ReadonlyMap<string, readonly ConfigId[]>;
}

/** A host, the group it is of, and its bytes. */
export interface MadeHost extends SidecarHost {
  readonly group: HostGroup;
  readonly bytes: Uint8Array;
}

/** The hosts of a listener, and what they were made from, beside the facts. */
export interface MadeHosts extends SidecarHosts {
  readonly hosts: readonly MadeHost[];
  readonly services: readonly Service[];
  readonly groups: readonly HostGroup[];
  readonly writer: ProtoWriter;
  /** Names and domains that some claim did not get. */
  readonly lost: ReadonlySet<string>;
}

interface Named {
  readonly name: string;
  readonly domains: readonly string[];
  readonly service: Service | undefined;
  readonly countsAttempts: boolean;
}

export function madeHost(group: HostGroup, named: Named, writer: ProtoWriter): MadeHost {
  const { name, domains, service, countsAttempts } = named;
  const { routes, virtualService } = group;
  const owners = [
    ...(service === undefined ? [] : [service.owner]),
    ...(virtualService === undefined ? [] : ownersOf(virtualService)),
    ...routes.flatMap((route) => route.owners),
  ];
  const host = { name, service, domains, routes: [routes], requireTls: false, countsAttempts, owners };
  return { ...host, group, bytes: encodeVirtualHost(host, writer) };
}

export function byName(a: MadeHost, b: MadeHost): number {
  return compareTexts(a.name, b.name);
}

export function encodedHosts(hosts: readonly MadeHost[]): EncodedHosts {
  return {
    bytes: hosts.map((host) => host.bytes),
    owners: distinctSorted(hosts.flatMap((host) => host.owners)),
    hostOwners: new Map(hosts.map((host) => [host.name, host.owners])),
  };
}

/** The hosts with others at some positions, of the same names. */
export function withHosts(before: MadeHosts, changed: ReadonlyMap<number, MadeHost>): MadeHosts {
  const hosts = [...before.hosts];
  const bytes = [...before.encoded.bytes];
  let keepsOwners = true;
  for (const [index, host] of changed) {
    keepsOwners &&= sameElements(host.owners, hosts[index]?.owners ?? []);
    hosts[index] = host;
    bytes[index] = host.bytes;
  }
  return { ...before, hosts, encoded: keepsOwners ? { ...before.encoded, bytes } : encodedHosts(hosts) };
}
