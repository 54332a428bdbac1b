import type { EtcdClient } from "../../etcd/etcd-client.ts";
import type { EtcdTransactionResult } from "../../etcd/etcd-transaction.ts";
import { append } from "../../lib/append.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";

/** The value of a key when it was read. */
export interface KeyRead {
  readonly value: Buffer;
  readonly revision: number;
}

/** A conditional write of a key: it fails if the key has changed since it was read. */
export interface KeyWrite {
  readonly key: string;
  /** Undefined to delete it. */
  readonly value: string | undefined;
  /** The revision that last wrote the key; 0 if the key does not exist. */
  readonly revision: number;
}

export interface KeyWriteResult {
  /** The revision with which each key was written. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Keys that another client has written in the meantime. Nothing after the first of them was written. */
  readonly conflicts: ReadonlySet<string>;
  readonly transactions: number;
}

/** Default limits of an etcd transaction: 128 operations, and 1.5 MiB including overhead. */
const maxOperations = 128;
const maxBytes = 1_000_000;

/** Reads and writes in as few transactions as the limits of etcd allow. Each transaction is atomic. */
export class EtcdTransactions {
  readonly #client: EtcdClient;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** In the order of the keys; undefined for those that are not there. */
  async read(keys: readonly string[]): Promise<readonly (KeyRead | undefined)[]> {
    const readings: (KeyRead | undefined)[] = [];
    for (let start = 0; start < keys.length; start += maxOperations) {
      const some = keys.slice(start, start + maxOperations);
      const success = some.map((key) => ({ type: "get", key }) as const);
      const { found } = await this.#client.transact({ success }).catch(unreachable);
      append(readings, found);
    }
    return readings;
  }

  async write(writes: readonly KeyWrite[]): Promise<KeyWriteResult> {
    const revisions = new Map<string, number>();
    const batches = batchesOf(writes);
    for (const batch of batches) {
      const { succeeded, revision: written, found } = await this.#commit(batch).catch(unknownWhether);
      if (!succeeded) {
        const conflicts = batch.filter(({ revision }, index) => (found[index]?.revision ?? 0) !== revision);
        return { revisions, conflicts: new Set(conflicts.map(({ key }) => key)), transactions: batches.length };
      }
      for (const { key } of batch) revisions.set(key, written);
    }
    return { revisions, conflicts: new Set(), transactions: batches.length };
  }

  /** If a key has changed, the result has the current state of all keys. */
  #commit(batch: readonly KeyWrite[]): Promise<EtcdTransactionResult> {
    return this.#client.transact({
      conditions: batch.map(({ key, revision }) => ({ type: "revision", key, equals: revision })),
      success: batch.map(({ key, value }) =>
        value === undefined ? { type: "delete", key } : { type: "put", key, value },
      ),
      failure: batch.map(({ key }) => ({ type: "get", key })),
    });
  }
}

function batchesOf(writes: readonly KeyWrite[]): readonly (readonly KeyWrite[])[] {
  const batches: KeyWrite[][] = [];
  let bytes = Infinity;
  for (const write of writes) {
    const more = 2 * Buffer.byteLength(write.key) + Buffer.byteLength(write.value ?? "");
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === maxOperations || bytes + more > maxBytes) {
      batches.push([write]);
      bytes = more;
    } else {
      batch.push(write);
      bytes += more;
    }
  }
  return batches;
}

export function unreachable(thrown: unknown): never {
  throw new MeshError("unavailable", `etcd: ${errorFrom(thrown).message}`, { cause: thrown });
}

/** The answer may be lost on its way. A retry is safe, because unchanged keys are skipped. */
function unknownWhether(thrown: unknown): never {
  const message = `etcd: ${errorFrom(thrown).message}; some objects may be written: run the command again`;
  throw new MeshError("unavailable", message, { cause: thrown });
}
