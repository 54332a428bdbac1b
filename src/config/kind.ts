import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Config } from "./config.ts";
import type { SealedParts } from "./credential/sealed-parts.ts";
import type { Finding } from "./finding.ts";

/**
 * Snapshots are consistent within a group; Pilot tolerates skew between groups. `credentials` are Secrets and ConfigMaps.
 * They reach Pilot in the same process only, and never another process. `localAnalysis` analyses a mesh without serving
 * it. It includes the collections of the other groups.
 */
export type SnapshotGroup = "default" | "syntheticServiceEntry" | "credentials" | "localAnalysis";

/**
 * When a group publishes a snapshot. Synthetic ServiceEntries are fetched incrementally, so they do not wait. For the
 * other groups a burst of changes makes one snapshot. A consumer with its own debounce may get every change at once.
 */
export const snapshotStrategies: Readonly<Record<SnapshotGroup, "debounce" | "immediate">> = {
  default: "debounce",
  syntheticServiceEntry: "immediate",
  credentials: "immediate",
  localAnalysis: "immediate",
};

/** One row of the kind table (`kinds.ts`): everything that other parts need to know about a kind. */
export interface Kind<Desc extends DescMessage = DescMessage> {
  readonly kind: string;
  readonly group: string;
  /** Accepted API versions, the preferred one first. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly scope: "namespace" | "cluster";
  /** The collection that sources fill, such as `k8s/networking.istio.io/v1alpha3/gateways`. */
  readonly collection: string;
  /**
   * The output collection if Galley publishes the kind unchanged. By default, `k8s/<group>.istio.io/…` is published as
   * `istio/<group>/…`. Other kinds are not published: they are inputs of other collections.
   */
  readonly output?: string;
  /** The snapshot group of the kind. The default is `default`. */
  readonly snapshot?: SnapshotGroup;
  /** Other API versions that serve, or served, the same objects in the same format. */
  readonly aliases?: readonly string[];
  readonly schema: Desc;
  /** The part of an object that its message holds. The default is `spec`. */
  readonly body?: "spec" | "object";
  /**
   * One of Kubernetes' own kinds. The API server owns its schema, and ours is a subset. Unknown fields are therefore
   * ignored, and a spec may be missing.
   */
  readonly builtIn?: true;
  /** Whether service discovery in a cluster needs this kind. */
  readonly requiredForServiceDiscovery?: true;
  /** Default values of unset fields, if they differ from zero. Objects are merged over them. */
  readonly defaults?: () => MessageShape<Desc>;
  /**
   * Checks rules beyond the schema. Paths start with `spec.`; the caller fills in places. The source of the message is
   * `raw`. It shows differences that the message lost, such as an empty list instead of a missing one.
   */
  readonly validate?: (config: Config<MessageShape<Desc>>, raw: unknown) => readonly Finding[];
  /**
   * Takes the secret content out of a message. The rest is the spec: pages, logs and other processes may see it. Values
   * of such a kind are never quoted in issues.
   */
  readonly seal?: (message: MessageShape<Desc>) => { readonly spec: MessageShape<Desc>; readonly sealed: SealedParts };
  /** Objects that an API server need not send, in the syntax of `kubectl get --field-selector`. */
  readonly fieldSelector?: string;
  /**
   * The spec that is in force instead of an unusable object, while no earlier version of the object is known. Only kinds
   * have it whose absence would open access. It gets the spec as written, or undefined if the spec is not certain.
   */
  readonly substitute?: (raw: unknown, name: string) => MessageShape<Desc> | undefined;
}

/** The preferred version of a kind as written in objects: `networking.istio.io/v1`, or `v1` in the core group. */
export function apiVersionOf({ group, versions: [version = ""] }: Pick<Kind, "group" | "versions">): string {
  return group === "" ? version : `${group}/${version}`;
}

const istioKind = /^k8s\/(?<group>[^/]+)\.istio\.io\/(?<rest>.+)$/;

/**
 * The output collection of a kind, if Galley publishes it: `k8s/networking.istio.io/v1alpha3/gateways` becomes
 * `istio/networking/v1alpha3/gateways`. Istio's names stay.
 */
export function outputOf({ collection, output: declared }: Kind): string | undefined {
  const output = declared ?? collection.replace(istioKind, "istio/$<group>/$<rest>");
  return declared !== undefined || output.startsWith("istio/") ? output : undefined;
}
