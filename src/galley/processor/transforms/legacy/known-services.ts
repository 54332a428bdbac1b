import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Collection } from "../../../../collection/collection.ts";
import type { Graph } from "../../../../collection/graph.ts";
import { type Config, configId, type Labels } from "../../../../config/config.ts";
import { fullHostname } from "../../../../config/grammar/hostname.ts";
import { service } from "../../../../config/kinds/kubernetes.ts";
import { serviceEntry } from "../../../../config/kinds/service-entry.ts";
import { type MeshService, receivedServices } from "../../../../config/mesh/mesh-service.ts";
import { deepEqual } from "../../../../lib/equal.ts";
import { inputCollection, type TransformerInputs } from "../../transformer.ts";
import { workloadPorts } from "./target-services.ts";

/** A service as the rules of legacy roles name it, in the form that AuthorizationPolicies need. */
export interface KnownService {
  readonly namespace: string;
  /** The short name, or all hosts of a ServiceEntry. */
  readonly names: readonly string[];
  readonly hostnames: readonly string[];
  /** The `targetRefs` entry for it. */
  readonly reference: { readonly group: string; readonly kind: string; readonly name: string };
  /** The labels of its workloads; empty if they cannot be told by labels. */
  readonly selector: Labels;
  /** The ports of its workloads; undefined if some are not certain. */
  readonly ports: readonly number[] | undefined;
}

/** The inputs of {@link knownServices}. */
export const serviceInputs = [service.collection, serviceEntry.collection, receivedServices];

/** Services of Kubernetes, of other Galleys, and ServiceEntries. */
export function knownServices(graph: Graph, input: TransformerInputs, domain: string): Collection<KnownService> {
  const key = ({ namespace, reference }: KnownService) => configId(reference.kind, namespace, reference.name);
  const own = graph.derive({
    name: "legacy/services",
    from: inputCollection(service, input),
    key,
    to: (config) => [ofKubernetes(config, domain)],
    equals: deepEqual,
  });
  const received = graph.derive({
    name: "legacy/received services",
    // The sources that fill this collection guarantee the cast: they store only configs with this spec.
    from: input(receivedServices) as Collection<Config<MeshService>>,
    key,
    to: (config) => [ofGalley(config)],
    equals: deepEqual,
  });
  const entries = graph.derive({
    name: "legacy/ServiceEntries",
    from: inputCollection(serviceEntry, input),
    key,
    to: (config) => [ofEntry(config)],
    equals: deepEqual,
  });
  return graph.union({ name: "legacy/known services", parts: [own, received, entries], equals: deepEqual });
}

function ofKubernetes({ namespace, name, spec }: Config<ServiceSpec>, domain: string): KnownService {
  return {
    namespace,
    names: [name],
    hostnames: [fullHostname(name, namespace, domain)],
    reference: { group: "", kind: "Service", name },
    selector: spec.selector,
    ports: workloadPorts(spec),
  };
}

function ofGalley({ namespace, name, spec }: Config<MeshService>): KnownService {
  const ports = spec.ports.flatMap(({ targetPort }) => (typeof targetPort === "number" ? [targetPort] : []));
  return {
    namespace,
    names: [name],
    hostnames: [spec.hostname],
    reference: { group: "", kind: "Service", name },
    selector: spec.selector,
    ports: ports.length === spec.ports.length ? ports : undefined,
  };
}

function ofEntry({ namespace, name, spec }: Config<ServiceEntry>): KnownService {
  return {
    namespace,
    names: spec.hosts,
    hostnames: spec.hosts,
    reference: { group: "networking.istio.io", kind: "ServiceEntry", name },
    selector: spec.workloadSelector?.labels ?? {},
    // Each endpoint may have ports of its own.
    ports: undefined,
  };
}

export function byNamespace(graph: Graph, from: Collection<KnownService>): Collection<readonly KnownService[]> {
  return graph.group({ name: "legacy/services by namespace", from, keys: ({ namespace }) => [namespace] });
}

export function byHostname(graph: Graph, from: Collection<KnownService>): Collection<readonly KnownService[]> {
  return graph.group({ name: "legacy/services by hostname", from, keys: ({ hostnames }) => hostnames });
}

/** `prefix*`, `*suffix`, `*` or the whole text. */
export function fits(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    if (pattern.endsWith("*") && text.startsWith(pattern.slice(0, -1))) return true;
    return pattern.startsWith("*") ? text.endsWith(pattern.slice(1)) : text === pattern;
  });
}
