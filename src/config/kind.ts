import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Config } from "./config.ts";
import type { Issue } from "./issue.ts";

/** Snapshots are consistent within a group; Pilot tolerates skew between groups. */
export type SnapshotGroup = "default" | "syntheticServiceEntry";

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
  readonly schema: Desc;
  /** What fields mean that an object leaves unset, where that is not the zero value; objects are laid over it. */
  readonly defaults?: () => MessageShape<Desc>;
  /** What is wrong beyond the schema. Paths start with `spec.`; places are filled in by the caller. */
  readonly validate: (config: Config<MessageShape<Desc>>) => readonly Finding[];
}

/** An issue before anyone knows where the field stands. */
export type Finding = Pick<Issue, "severity" | "code" | "path" | "message" | "hint">;
