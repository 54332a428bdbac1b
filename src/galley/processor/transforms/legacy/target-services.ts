import type { PortSelector, TargetSelector } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Tracked } from "../../../../collection/collection.ts";
import { type Config, configKey, type Labels } from "../../../../config/config.ts";

/** The service that a target of a legacy policy names, in the form that PeerAuthentications and `targetRefs` need. */
export interface TargetService {
  readonly name: string;
  /** The `targetRefs` entry for it. */
  readonly reference: { readonly group: string; readonly kind: string; readonly name: string };
  /** The labels of its workloads; undefined if they cannot be told by labels. */
  readonly selector: Labels | undefined;
  /** The ports of the workloads that the target names; undefined if some are not certain. */
  readonly workloadPorts: readonly number[] | undefined;
}

/** Services by `NAMESPACE/NAME`, and ServiceEntries by host. */
export interface KnownServices {
  readonly services: Tracked<Config<ServiceSpec>>;
  readonly entries: Tracked<readonly Config<ServiceEntry>[]>;
}

/** A port of a service, and the port of its workloads if that is a number. */
interface Port {
  readonly name: string;
  readonly number: number;
  readonly workloadPort: number | undefined;
}

/**
 * The service that a target names: a Service of Kubernetes, or a ServiceEntry of the namespace with its full host.
 * There is none if nobody has declared it. Then it has no traffic either.
 */
export function targetService(
  { name, ports }: Pick<TargetSelector, "name" | "ports">,
  { namespace, domain }: { readonly namespace: string; readonly domain: string },
  { services, entries }: KnownServices,
): TargetService | undefined {
  const service = services.get(configKey({ namespace, name }));
  if (service !== undefined) {
    const reference = { group: "", kind: "Service", name };
    return {
      name,
      reference,
      selector: someLabels(service.spec.selector),
      workloadPorts: named(portsOf(service.spec), ports),
    };
  }
  const entry = entries.get(`${name}.${namespace}.svc.${domain}`)?.find((each) => each.namespace === namespace);
  if (entry === undefined) return undefined;
  return {
    name,
    reference: { group: "networking.istio.io", kind: "ServiceEntry", name: entry.name },
    selector: someLabels(entry.spec.workloadSelector?.labels ?? {}),
    // Each endpoint may have ports of its own.
    workloadPorts: undefined,
  };
}

function someLabels(labels: Labels): Labels | undefined {
  return Object.keys(labels).length > 0 ? labels : undefined;
}

function portsOf({ ports }: ServiceSpec): readonly Port[] {
  return ports.map(({ name, port, targetPort }) => ({ name, number: port, workloadPort: numberOf(port, targetPort) }));
}

/** The ports of the workloads of a service; undefined if some are not certain. */
export function workloadPorts(spec: ServiceSpec): readonly number[] | undefined {
  return named(portsOf(spec), []);
}

/** A missing or zero target port is the port of the service. A name is a port of the containers, which differ. */
function numberOf(port: number, target: ServiceSpec["ports"][number]["targetPort"]): number | undefined {
  if (target === undefined) return port;
  if (target.strVal !== "") return undefined;
  return target.intVal === 0 ? port : target.intVal;
}

/** The workload ports behind the wanted ports of a service; without any wanted ones, all. */
function named(ports: readonly Port[], wanted: readonly PortSelector[]): readonly number[] | undefined {
  const chosen = wanted.length === 0 ? ports : wanted.map(({ port }) => ports.find((each) => isPort(each, port)));
  const numbers = chosen.flatMap((port) => port?.workloadPort ?? []);
  return numbers.length === chosen.length ? [...new Set(numbers)].toSorted((a, b) => a - b) : undefined;
}

function isPort({ name, number }: Port, wanted: PortSelector["port"]): boolean {
  return wanted.case === "name" ? name === wanted.value : number === wanted.value;
}
