import type { ConfigId } from "../../../config/config.ts";
import type { Labels } from "../labels.ts";

/** Which connections a workload accepts: in plain text, with mesh mTLS, or both. */
export type MtlsMode = "disable" | "permissive" | "strict";

/** What an author says of it; `unset` leaves it to whoever speaks for more workloads. */
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
  /** By the port that the workload listens on; only with a selector. */
  readonly ports: ReadonlyMap<number, AskedMtlsMode>;
}
