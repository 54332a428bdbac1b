import type { EtcdEntry, EtcdPosition } from "../../../etcd/etcd-values.ts";
import type { EtcdWatch } from "../../../etcd/etcd-watch.ts";

export interface EtcdPage {
  readonly entries: readonly EtcdEntry[];
  readonly position: EtcdPosition;
}

/**
 * One server of an etcd cluster, limited to the keys below a prefix. Every call fails if there is no answer in time.
 */
export interface EtcdMember extends Disposable {
  /** The current position, confirmed by the majority. A server that is cut off from the others gives no answer. */
  position(): Promise<EtcdPosition>;
  /** The key as of this revision. Undefined if it is missing, or if the store cannot show that revision. */
  read(key: string, revision: number): Promise<EtcdEntry | undefined>;
  /** All keys as of one position, page by page. There is at least one page. */
  pages(): AsyncIterable<EtcdPage>;
  /** Watches changes from this revision on. */
  watch(from: number): Promise<EtcdWatch>;
}
