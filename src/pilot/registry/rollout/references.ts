import type { DestinationRule } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Config } from "../../../config/config.ts";
import { fullHostname, hostnamesMatch } from "../../../config/grammar/hostname.ts";

/** The names by which the objects of one change refer to each other. */
export interface References {
  /** Hosts whose subsets the object defines. */
  readonly defines: ReadonlySet<string>;
  /** Hosts whose subsets the object sends requests to. */
  readonly uses: ReadonlySet<string>;
  /** The VirtualService that the object is, if it is a delegate. */
  readonly delegates: ReadonlySet<string>;
  /** The VirtualServices that the object delegates to. */
  readonly delegatesTo: ReadonlySet<string>;
}

/** The references of several versions of objects together. */
export function referencesIn(configs: Iterable<Config | undefined>, domain: string): References {
  const all = {
    defines: new Set<string>(),
    uses: new Set<string>(),
    delegates: new Set<string>(),
    delegatesTo: new Set<string>(),
  };
  for (const config of configs) {
    if (config === undefined) continue;
    const { kind, namespace, name, spec } = config;
    if (kind === "DestinationRule") {
      all.defines.add(fullHostname((spec as DestinationRule).host, namespace, domain));
    }
    if (kind !== "VirtualService") continue;
    const { hosts, http } = spec as VirtualService;
    if (hosts.length === 0) all.delegates.add(`${namespace}/${name}`);
    for (const { delegate } of http) {
      if (delegate !== undefined) all.delegatesTo.add(`${delegate.namespace || namespace}/${delegate.name}`);
    }
    for (const host of subsetHostsIn(spec)) all.uses.add(fullHostname(host, namespace, domain));
  }
  return all;
}

/**
 * Whether one of two objects may need the other: a route needs the subsets of its destinations, and the routes of its
 * delegates. Two rules for one host define its subsets together.
 */
export function areConnected(one: References, other: References): boolean {
  return (
    hostsMatch(one.defines, other.uses) ||
    hostsMatch(one.uses, other.defines) ||
    hostsMatch(one.defines, other.defines) ||
    !one.delegates.isDisjointFrom(other.delegatesTo) ||
    !one.delegatesTo.isDisjointFrom(other.delegates)
  );
}

function hostsMatch(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (!some.isDisjointFrom(others)) return true;
  return some.values().some((host) => others.values().some((each) => hostnamesMatch(host, each)));
}

/** The hosts of all destinations with a subset, wherever they stand: routes of every protocol, and mirrors. */
function* subsetHostsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (isDestination(value) && value.subset !== "") yield value.host;
  for (const field of Object.values(value)) yield* subsetHostsIn(field);
}

function isDestination(value: object): value is { readonly host: string; readonly subset: string } {
  return "$typeName" in value && value.$typeName === "istio.networking.v1alpha3.Destination";
}
