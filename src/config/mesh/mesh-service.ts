import { compareTexts } from "../../lib/compare.ts";
import { hashText } from "../../lib/hash.ts";
import type { Config, Labels } from "../config.ts";

/** The collection of {@link MeshService} configs. Only Binnacle uses it; others read {@link syntheticEntries}. */
export const meshServices = "binnacle/services";

/** The collection of ServiceEntries made from Kubernetes services. */
export const syntheticEntries = "istio/networking/v1alpha3/synthetic/serviceentries";

/** The collection that sources fill with services converted by another Galley. */
export const receivedServices = "mcp/binnacle/services";

/**
 * A service of a registry, with everything Pilot needs. All registrations are converted to this form. Namespace, name,
 * labels, annotations and age are in the config around it.
 */
export interface MeshService {
  readonly hostname: string;
  readonly access: ServiceAccess;
  readonly ports: readonly MeshPort[];
  /** Addresses for clients outside its network, as far as its author sets them. */
  readonly externalAddresses: readonly string[];
  /** Sorted; empty if the service does not set it. */
  readonly exportTo: readonly string[];
  /** The labels of its workloads; empty if its owner lists the endpoints. */
  readonly selector: Readonly<Record<string, string>>;
  /** Clients stay on their own node. */
  readonly nodeLocal: boolean;
  /** The preference of the owner, such as `PreferSameZone`; "" for none. */
  readonly trafficDistribution: string;
  readonly publishNotReadyAddresses: boolean;
  /** Undefined until the endpoints are known. An empty list is a known result. */
  readonly endpoints: readonly MeshEndpoint[] | undefined;
}

/** How clients reach a service: by its own addresses (perhaps none yet), by its endpoints, or under another name. */
export type ServiceAccess =
  | { readonly type: "virtual"; readonly addresses: readonly string[] }
  | { readonly type: "headless" }
  | { readonly type: "alias"; readonly externalName: string };

export interface MeshPort {
  /** Never empty, unique within the service. */
  readonly name: string;
  readonly number: number;
  /** In Istio's spelling. `UnsupportedProtocol` if it is unknown and must be detected. */
  readonly protocol: string;
  /** A number, or the name of a container port, which may differ between pods. */
  readonly targetPort: number | string;
  /** 0 for none. */
  readonly nodePort: number;
}

/** One serving address. Unknown facts of its workload are empty. */
export interface MeshEndpoint {
  readonly address: string;
  /** By the name of the service port. */
  readonly ports: Readonly<Record<string, number>>;
  readonly health: EndpointHealth;
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: MeshLocality;
  readonly node: string;
  readonly network: string;
  /** 0 if not set. */
  readonly weight: number;
  /** Undefined if the identity of the workload is unknown. */
  readonly serviceAccount: string | undefined;
  readonly namespace: string;
  /** The name of the workload, shared by its instances: `reviews-v1`, and its kind: `Deployment`. */
  readonly workloadName: string;
  readonly workloadKind: string;
  /** Its DNS name below a headless service. */
  readonly hostname: string;
  readonly subdomain: string;
}

export type EndpointHealth = "healthy" | "unhealthy" | "draining" | "terminating";

export interface MeshLocality {
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

/** The config of a service. Its version is a hash of its meaning. */
export function meshServiceConfig(
  around: Omit<Config, "spec" | "version" | "kind" | "apiVersion">,
  spec: MeshService,
): Config<MeshService> {
  const { namespace, name, labels, annotations, createdAt, origin } = around;
  const version = hashText(JSON.stringify({ namespace, name, labels, annotations, createdAt, spec }));
  return { kind: "Service", apiVersion: "v1", namespace, name, labels, annotations, createdAt, origin, spec, version };
}

const exportAnnotation = "networking.istio.io/exportTo";

/** The namespaces in the export annotation of a Kubernetes service: sorted, each once; empty without the annotation. */
export function exportedTo(annotations: Labels): readonly string[] {
  const names = (annotations[exportAnnotation] ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))].toSorted(compareTexts);
}
