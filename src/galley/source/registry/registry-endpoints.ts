import { configKey } from "../../../config/config.ts";
import { isIpAddress, isPortNumber } from "../../../config/grammar/address.ts";
import { isFqdn } from "../../../config/grammar/names.ts";
import { type Issue, warningAbout } from "../../../config/issue.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { labelsFrom, labelsWithoutPlace, localityFrom } from "./instance-labels.ts";
import type { InstanceSelector } from "./instance-selector.ts";
import { objectNamed, type RegistryInstance, type RegistryPort, type RegistryService } from "./registry-service.ts";

/** An instance that can receive requests. */
export interface RegistryEndpoint {
  readonly address: string;
  readonly ports: readonly RegistryPort[];
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: string;
  readonly serviceAccount: string;
}

/**
 * The selected instances that can be endpoints, sorted by address. Of several instances at one address and port, the
 * first by id counts. Other instances become issues that name them.
 */
export function registryEndpoints(service: RegistryService, selector: InstanceSelector) {
  const endpoints = new Map<string, RegistryEndpoint>();
  const issues: Issue[] = [];
  for (const instance of service.instances.toSorted((a, b) => compareTexts(a.id, b.id))) {
    const { id, address, ports, serviceAccount = "" } = instance;
    const problem = problemOf(instance);
    if (problem !== undefined) {
      issues.push(badInstance(service, `instance ${id} ${problem}; it is ignored`));
      continue;
    }
    const labels = labelsFrom(instance.labels);
    if (!selector(service.hostname, { address, labels })) continue;
    const place = `${address} ${ports.map(({ number }) => number).join()}`;
    if (endpoints.has(place)) continue;
    const locality = instance.locality ?? localityFrom(instance.labels);
    endpoints.set(place, { address, ports, labels: labelsWithoutPlace(labels), locality, serviceAccount });
  }
  const sorted = [...endpoints].toSorted(([a], [b]) => compareTexts(a, b)).map(([, endpoint]) => endpoint);
  return { endpoints: sorted, issues };
}

function problemOf({ address, ports }: RegistryInstance): string | undefined {
  if (!isIpAddress(address) && !isFqdn(address)) return `is at "${address}", which is neither an IP address nor a name`;
  const bad = ports.find(({ number }) => !isPortNumber(number));
  if (bad !== undefined) return `has port ${bad.number}, which is not between 1 and 65535`;
  return ports.length === 0 ? "has no port" : undefined;
}

function badInstance(service: RegistryService, message: string): Issue {
  return warningAbout(objectNamed(configKey(service)), { code: "bad-instance", message });
}
