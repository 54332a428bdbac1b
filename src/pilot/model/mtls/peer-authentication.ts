import type { ConfigId, Labels } from "../../../config/config.ts";

/** Which connections a workload accepts: in plain text, with mesh mTLS, or both. */
export type MtlsMode = "disable" | "permissive" | "strict";

/** The mode as the author wrote it; `unset` inherits from the next wider level. */
export type AskedMtlsMode = MtlsMode | "unset";

/** Which connections some workloads accept. */
export interface PeerAuthentication {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Undefined for all workloads of the namespace; in the root namespace, of the mesh. */
  readonly selector: Labels | undefined;
  readonly mode: AskedMtlsMode;
  /** By workload port; only valid with a selector. */
  readonly ports: ReadonlyMap<number, AskedMtlsMode>;
  /**
   * Whether it is the substitute of an unusable policy that may have selected any workload of the namespace. No policy of
   * a workload loosens it.
   */
  readonly prevails: boolean;
  /** Whether it was made from a legacy policy. Of one level, those that users wrote go before it. */
  readonly converted: boolean;
}
