import {
  ServiceEntry_Resolution as Resolution,
  type ServiceEntry,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, type Finding, type Remark, warning } from "../../finding.ts";
import { isIpAddress, isUnixAddress } from "../../grammar/address.ts";
import { isWildcard } from "../../grammar/hostname.ts";
import { isFqdn } from "../../grammar/names.ts";
import { workload } from "../workload-entry.ts";

const path = "spec.endpoints";
const maxNamesShown = 20;

/** Checks the endpoints of a service: the rules of its resolution, and the rules for every endpoint. */
export function endpointRules(entry: ServiceEntry): readonly Finding[] {
  const { endpoints, workloadSelector } = entry;
  const portRules = servicePorts(entry);
  return [
    ...errorUnless(workloadSelector === undefined || endpoints.length === 0, path, {
      code: "conflicting-fields",
      message: "only one of workloadSelector and endpoints may be set",
    }),
    ...resolutionRules(entry),
    ...endpoints.flatMap((endpoint, index) => [
      ...workload(endpoint, fieldPath(path, index)),
      ...portRules(endpoint, fieldPath(path, index, "ports")),
    ]),
  ];
}

function resolutionRules(entry: ServiceEntry): readonly Finding[] {
  switch (entry.resolution) {
    case Resolution.NONE:
      return noResolution(entry);
    case Resolution.STATIC:
      return entry.endpoints.flatMap(({ address }, index) => staticAddress(entry, address, fieldPath(path, index)));
    case Resolution.DNS:
      return dnsRules(entry);
    case Resolution.DNS_ROUND_ROBIN: {
      const several: Remark = { code: "several-endpoints", message: "DNS_ROUND_ROBIN resolves one endpoint only" };
      return [...dnsRules(entry), ...errorUnless(entry.endpoints.length <= 1, fieldPath(path, 1), several)];
    }
    case Resolution.DYNAMIC_DNS:
      return dynamicRules(entry);
    default:
      return [];
  }
}

function noResolution({ endpoints, workloadSelector }: ServiceEntry): readonly Finding[] {
  const hint = "set resolution to STATIC or DNS";
  const useless: Remark = { code: "useless-field", message: "resolution NONE ignores the workloadSelector", hint };
  return [
    ...errorUnless(endpoints.length === 0, path, {
      code: "useless-endpoints",
      message: "resolution NONE allows no endpoints",
      hint,
    }),
    ...(workloadSelector === undefined ? [] : [warning("spec.workloadSelector", useless)]),
  ];
}

const resolvableProtocols = ["HTTP", "HTTP2", "GRPC", "TLS"];

/**
 * Each request goes to the host that it names. So there must be many hosts, and no other field may set the destination.
 */
function dynamicRules({ hosts, addresses, endpoints, ports }: ServiceEntry): readonly Finding[] {
  const code = "conflicting-fields";
  return [
    ...hosts.flatMap((host, index) =>
      errorUnless(isWildcard(host), fieldPath("spec.hosts", index), {
        code: "bad-host",
        message: `resolution DYNAMIC_DNS needs a wildcard host, not "${host}"`,
        hint: "use resolution DNS for one host",
      }),
    ),
    ...errorUnless(addresses.length === 0, "spec.addresses", {
      code,
      message: "resolution DYNAMIC_DNS allows no addresses",
    }),
    ...errorUnless(endpoints.length === 0, path, {
      code,
      message: "resolution DYNAMIC_DNS allows no endpoints",
    }),
    ...ports.flatMap(({ protocol }, index) =>
      errorUnless(resolvableProtocols.includes(protocol.toUpperCase()), fieldPath("spec.ports", index, "protocol"), {
        code: "unknown-protocol",
        message: "resolution DYNAMIC_DNS needs a protocol whose requests name the host",
        hint: `known are ${resolvableProtocols.join(", ")}`,
      }),
    ),
  ];
}

function staticAddress({ ports }: ServiceEntry, address: string, endpointPath: string): readonly Finding[] {
  const unix = isUnixAddress(address);
  return [
    ...errorUnless(address === "" || unix || isIpAddress(address), `${endpointPath}.address`, {
      code: "bad-address",
      message: `resolution STATIC needs an IP address or a unix socket, not "${address}"`,
      hint: "use resolution DNS for names",
    }),
    ...errorUnless(!unix || ports.length === 1, endpointPath, {
      code: "bad-address",
      message: "a service behind a unix socket needs exactly one port",
    }),
  ];
}

function dnsRules({ hosts, endpoints }: ServiceEntry): readonly Finding[] {
  const unresolvable = endpoints.length === 0 ? hosts.findIndex((host) => host !== "" && !isFqdn(host)) : -1;
  return [
    ...(unresolvable === -1
      ? []
      : [
          error(fieldPath("spec.hosts", unresolvable), {
            code: "bad-host",
            message: `"${hosts[unresolvable]}" cannot be resolved by DNS, and the service has no endpoints`,
          }),
        ]),
    ...endpoints.flatMap(({ address }, index) =>
      errorUnless(address !== "", fieldPath(path, index, "address"), {
        code: "missing-address",
        message: "an endpoint that is resolved by DNS needs an address",
      }),
    ),
    ...endpoints.flatMap(({ address }, index) =>
      errorUnless(!address.startsWith("unix:"), fieldPath(path, index, "address"), {
        code: "bad-address",
        message: "a unix socket cannot be resolved by DNS",
        hint: "use resolution STATIC",
      }),
    ),
  ];
}

/** Checks the ports of an endpoint: their names are names of service ports. */
function servicePorts({ ports }: ServiceEntry): (endpoint: WorkloadEntry, path: string) => readonly Finding[] {
  const names = new Set(ports.map(({ name }) => name));
  const some = names.values().take(maxNamesShown).toArray().join(", ");
  const hint =
    names.size === 0 ? "the service has no ports" : `it has ${some}${names.size > maxNamesShown ? ", …" : ""}`;
  return (endpoint, portsPath) =>
    Object.keys(endpoint.ports).flatMap((name) =>
      errorUnless(names.has(name), fieldPath(portsPath, name), {
        code: "unknown-port",
        message: `the service has no port "${name}"`,
        hint,
      }),
    );
}
