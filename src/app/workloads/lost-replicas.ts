import { isMapping } from "../../lib/is-mapping.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { ask, type KubeCalls } from "../kube/kube-calls.ts";
import { deleteVersion, leaseLabel, release, type StoredEntry } from "./kube-entry.ts";

/** The Leases of servers with machines begin with this. The rest of the name is unique per process. */
export const leasePrefix = "binnacle-registration-";

export interface LostReplicasOptions {
  readonly calls: KubeCalls;
  /** The namespace of the Leases. */
  readonly namespace: string;
  /** The Lease of this process, which needs no watching. */
  readonly own: string;
  readonly clock: Pick<Clock, "now">;
}

/** An object of a list, as far as it matters here. The API server has validated it. */
interface Listed extends StoredEntry {
  readonly spec?: { readonly renewTime?: string; readonly leaseDurationSeconds?: number };
}

/** A renewal of a Lease, and when this process first saw it. */
interface Seen {
  readonly renewed: string;
  readonly atMs: number;
}

/** More than one renewal may be late before a server counts as lost. */
const patience = 4 / 3;
const pageSize = 500;

/**
 * Finds servers whose Lease is no longer renewed, and releases the WorkloadEntries that their machines left behind. Only
 * durations on the local clock count. Every replica does this, and each write names the version that was read: of several
 * replicas one writes, and an entry whose machine came back to another server stays.
 */
export class LostReplicas {
  readonly #options: LostReplicasOptions;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(options: LostReplicasOptions) {
    this.#options = options;
  }

  /** @param entries the path of all WorkloadEntries */
  async sweep(entries: string): Promise<void> {
    const { calls, own, clock } = this.#options;
    const listed = await listOf(calls, this.#leases);
    const others = listed.items.filter(({ metadata: { name } }) => name.startsWith(leasePrefix) && name !== own);
    const now = clock.now();
    const seen = new Map<string, Seen>();
    for (const lease of others) {
      const renewed = lease.spec?.renewTime ?? "";
      const known = this.#seen.get(lease.metadata.name);
      const latest = known?.renewed === renewed ? known : { renewed, atMs: now };
      seen.set(lease.metadata.name, latest);
      const lastsMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 * patience;
      if (now - latest.atMs >= lastsMs) await this.#cleanUp(lease, entries);
    }
    this.#seen = seen;
  }

  /** The Lease goes last, so that another replica can finish the work. */
  async #cleanUp(lease: Listed, entries: string): Promise<void> {
    const { calls } = this.#options;
    const left = await listOf(calls, entries, { labelSelector: `${leaseLabel}=${lease.metadata.name}` });
    for (const entry of left.items) await release(calls, pathIn(entries, entry), entry);
    if (!left.more) await deleteVersion(calls, `${this.#leases}/${lease.metadata.name}`, lease);
  }

  get #leases(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#options.namespace}/leases`;
  }
}

function pathIn(entries: string, { metadata: { namespace, name } }: Listed): string {
  const [, root = "", plural = ""] = /^(.*)\/([^/]+)$/u.exec(entries) ?? [];
  return `${root}/namespaces/${namespace}/${plural}/${name}`;
}

async function listOf(calls: KubeCalls, path: string, query: Readonly<Record<string, string>> = {}) {
  const answer = await ask(calls, { path, query: { ...query, limit: String(pageSize) }, answer: "list" });
  const { items = [], metadata } = answer as { items?: readonly Listed[]; metadata?: unknown };
  return { items, more: isMapping(metadata) && Boolean(metadata["continue"]) };
}
