import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Config } from "./config.ts";
import type { Finding } from "./finding.ts";

/**
 * Snapshots are consistent within a group; Pilot tolerates skew between groups. `localAnalysis` is for looking at a
 * mesh without serving it, and holds what the other groups hold, too.
 */
export type SnapshotGroup = "default" | "syntheticServiceEntry" | "localAnalysis";

/**
 * When what is in a group leaves. Synthetic ServiceEntries are fetched incrementally, so nobody gains by waiting; of
 * the rest a burst of changes makes one snapshot. Whoever coalesces by itself may be told at once of everything.
 */
export const snapshotStrategies: Readonly<Record<SnapshotGroup, "debounce" | "immediate">> = {
  default: "debounce",
  syntheticServiceEntry: "immediate",
  localAnalysis: "immediate",
};

/** One row of the kind table (`kinds.ts`): everything the rest of the system needs to know of a kind. */
export interface Kind<Desc extends DescMessage = DescMessage> {
  readonly kind: string;
  readonly group: string;
  /** API versions we accept, the preferred one first. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly scope: "namespace" | "cluster";
  /** The collection that sources fill, such as `k8s/networking.istio.io/v1alpha3/gateways`. */
  readonly collection: string;
  /**
   * The collection it leaves Galley in as it is. Where nothing is said, `k8s/<group>.istio.io/…` leaves as
   * `istio/<group>/…`, and other kinds do not leave: they are what others are made of.
   */
  readonly output?: string;
  /** The snapshots it leaves in; `default` unless said otherwise. */
  readonly snapshot?: SnapshotGroup;
  /** Other API versions that serve, or served, the same objects in the same form. */
  readonly aliases?: readonly string[];
  readonly schema: Desc;
  /** What of an object its message is; the `spec` unless said otherwise. */
  readonly body?: "spec" | "object";
  /**
   * One of Kubernetes' own kinds. Its schema belongs to the API server and ours is a part of it, so fields that we do
   * not know are passed over, and a spec may be missing.
   */
  readonly builtIn?: true;
  /** Whether services of a cluster cannot be told without it. */
  readonly requiredForServiceDiscovery?: true;
  /** What fields mean that an object leaves unset, where that is not the zero value; objects are laid over it. */
  readonly defaults?: () => MessageShape<Desc>;
  /**
   * What is wrong beyond the schema. Paths start with `spec.`; places are filled in by the caller. `raw` is what the
   * message was read from, for what a message no longer tells: an empty list from one that is not there.
   */
  readonly validate?: (config: Config<MessageShape<Desc>>, raw: unknown) => readonly Finding[];
}

/** The preferred version of a kind as objects name it: `networking.istio.io/v1`, or `v1` in the core group. */
export function apiVersionOf({ group, versions: [version = ""] }: Pick<Kind, "group" | "versions">): string {
  return group === "" ? version : `${group}/${version}`;
}
