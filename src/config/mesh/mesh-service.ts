import { hashText } from "../../lib/hash.ts";
import type { Config } from "../config.ts";

/** The collection of {@link MeshService} configs. Ours alone: others know services as {@link syntheticEntries}. */
export const meshServices = "binnacle/services";

/** The collection of ServiceEntries that are made of Kubernetes' services. */
export const syntheticEntries = "istio/networking/v1alpha3/synthetic/serviceentries";

/** What sources fill with services that were converted elsewhere, by another Galley. */
export const receivedServices = "mcp/binnacle/services";

/**
 * A service as a registry knows it, with everything Pilot needs: the one form that registrations are converted to.
 * Namespace, name, labels, annotations and age stand in the config around it.
 */
export interface MeshService {
  readonly hostname: string;
  readonly access: ServiceAccess;
  readonly ports: readonly MeshPort[];
  /** Where it is reached from outside of its network, as far as its author says. */
  readonly externalAddresses: readonly string[];
  /** Sorted; empty when the service does not say. */
  readonly exportTo: readonly string[];
  /** The labels of the workloads it is meant for; empty when its owner lists the endpoints. */
  readonly selector: Readonly<Record<string, string>>;
  /** Clients stay on their own node. */
  readonly nodeLocal: boolean;
  /** What the owner prefers, such as `PreferSameZone`; "" for anything. */
  readonly trafficDistribution: string;
  readonly publishNotReadyAddresses: boolean;
  /** Undefined until somebody has listed them; an empty list is an answer. */
  readonly endpoints: readonly MeshEndpoint[] | undefined;
}

/** How clients get to a service: by addresses of its own (none yet, perhaps), by its endpoints', or under another name. */
export type ServiceAccess =
  | { readonly type: "virtual"; readonly addresses: readonly string[] }
  | { readonly type: "headless" }
  | { readonly type: "alias"; readonly externalName: string };

export interface MeshPort {
  /** Never empty, unique within the service. */
  readonly name: string;
  readonly number: number;
  /** As Istio spells it; `UnsupportedProtocol` where nothing tells, so that it has to be detected. */
  readonly protocol: string;
  /** A number, or the name of a container's port, which may differ from pod to pod. */
  readonly targetPort: number | string;
  /** 0 for none. */
  readonly nodePort: number;
}

/** One address that serves; what is not known of the workload behind it is empty. */
export interface MeshEndpoint {
  readonly address: string;
  /** By the name of the service's port. */
  readonly ports: Readonly<Record<string, number>>;
  readonly health: EndpointHealth;
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: MeshLocality;
  readonly node: string;
  readonly network: string;
  /** 0 when nobody gave one. */
  readonly weight: number;
  /** Undefined when it is not known who runs there. */
  readonly serviceAccount: string | undefined;
  readonly namespace: string;
  /** What the workload is called, whatever its instances are: `reviews-v1`, and the kind that runs it: `Deployment`. */
  readonly workloadName: string;
  readonly workloadKind: string;
  /** Its own DNS name below a headless service. */
  readonly hostname: string;
  readonly subdomain: string;
}

export type EndpointHealth = "healthy" | "unhealthy" | "draining" | "terminating";

export interface MeshLocality {
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

/** The config around a service, its version a hash of everything it means. */
export function meshServiceConfig(
  around: Omit<Config, "spec" | "version" | "kind" | "apiVersion">,
  spec: MeshService,
): Config<MeshService> {
  const { namespace, name, labels, annotations, createdAt, origin } = around;
  const version = hashText(JSON.stringify({ namespace, name, labels, annotations, createdAt, spec }));
  return { kind: "Service", apiVersion: "v1", namespace, name, labels, annotations, createdAt, origin, spec, version };
}
