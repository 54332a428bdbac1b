import {
  ServiceEntry_Resolution as Resolution,
  type ServiceEntry,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { isIpAddress, isUnixAddress } from "../../address.ts";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless } from "../../finding.ts";
import type { Finding } from "../../kind.ts";
import { isFqdn } from "../../names.ts";
import { workload } from "../workload-entry.ts";

const path = "spec.endpoints";
const maxNamesShown = 20;

/** Where a service runs: what its resolution demands of the endpoints, and what every endpoint must be. */
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
      return errorUnless(entry.endpoints.length === 0, path, {
        code: "useless-endpoints",
        message: "with resolution NONE there are no endpoints",
        hint: "set resolution to STATIC or DNS",
      });
    case Resolution.STATIC:
      return entry.endpoints.flatMap(({ address }, index) => staticAddress(entry, address, fieldPath(path, index)));
    case Resolution.DNS:
      return dnsRules(entry);
    case Resolution.DNS_ROUND_ROBIN: {
      const several = { code: "several-endpoints", message: "DNS_ROUND_ROBIN resolves one endpoint only" };
      return [...dnsRules(entry), ...errorUnless(entry.endpoints.length <= 1, fieldPath(path, 1), several)];
    }
    case Resolution.DYNAMIC_DNS:
    default:
      return [];
  }
}

function staticAddress({ ports }: ServiceEntry, address: string, endpointPath: string): readonly Finding[] {
  const unix = isUnixAddress(address);
  return [
    ...errorUnless(address === "" || unix || isIpAddress(address), `${endpointPath}.address`, {
      code: "bad-address",
      message: `with resolution STATIC an endpoint has an IP address or a socket, not "${address}"`,
      hint: "use resolution DNS for names",
    }),
    ...errorUnless(!unix || ports.length === 1, endpointPath, {
      code: "bad-address",
      message: "a service behind a unix socket has exactly one port",
    }),
  ];
}

function dnsRules({ hosts, endpoints, workloadSelector }: ServiceEntry): readonly Finding[] {
  const resolvesHosts = endpoints.length === 0 && workloadSelector === undefined;
  const unresolvable = resolvesHosts ? hosts.findIndex((host) => host !== "" && !isFqdn(host)) : -1;
  return [
    ...(unresolvable === -1
      ? []
      : [
          error(fieldPath("spec.hosts", unresolvable), {
            code: "bad-host",
            message: `"${hosts[unresolvable]}" cannot be resolved, and there are no endpoints to resolve instead`,
          }),
        ]),
    ...endpoints.flatMap(({ address }, index) =>
      errorUnless(!address.startsWith("unix:"), fieldPath(path, index, "address"), {
        code: "bad-address",
        message: "a unix socket cannot be resolved by DNS",
        hint: "use resolution STATIC",
      }),
    ),
  ];
}

/** Says what is wrong with the ports of an endpoint: they are named as those of the service are. */
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
