import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  Compare_CompareTarget,
  type CompareSchema,
  type RequestOpSchema,
  type TxnRequestSchema,
  type TxnResponse,
} from "#gen/etcd/rpc_pb.js";
import { entryOf, positionOf } from "./decode-values.ts";
import type { EtcdEntry } from "./etcd-values.ts";

/** A condition on a key. */
type EtcdCondition =
  /** This revision wrote the key last. 0: the key does not exist. */
  | { readonly type: "revision"; readonly key: string; readonly equals: number }
  | { readonly type: "lease"; readonly key: string; readonly equals: bigint };

type EtcdOperation =
  | { readonly type: "get"; readonly key: string }
  /** With a lease, the key ends with it. */
  | { readonly type: "put"; readonly key: string; readonly value: string; readonly lease?: bigint }
  | { readonly type: "delete"; readonly key: string }
  /** All keys that begin with this one, which ends with a slash. */
  | { readonly type: "delete below"; readonly key: string };

export interface EtcdTransaction {
  readonly conditions?: readonly EtcdCondition[];
  /** Carried out at once if all conditions hold. */
  readonly success: readonly EtcdOperation[];
  /** Carried out otherwise. */
  readonly failure?: readonly EtcdOperation[];
}

export interface EtcdTransactionResult {
  readonly succeeded: boolean;
  /** The revision of the store after the transaction, which is that of every key it wrote. */
  readonly revision: number;
  /** The key of each operation that was carried out, if it is a `get` and the key exists. */
  readonly found: readonly (EtcdEntry | undefined)[];
}

export function transactionRequest(transaction: EtcdTransaction): MessageInitShape<typeof TxnRequestSchema> {
  const { conditions = [], success, failure = [] } = transaction;
  return {
    compare: conditions.map(compareOf),
    success: success.map(operationOf),
    failure: failure.map(operationOf),
  };
}

export function transactionResult({ header, succeeded, responses }: TxnResponse): EtcdTransactionResult {
  const found = responses.map(({ response }) => {
    const [kv] = response.case === "responseRange" ? response.value.kvs : [];
    return kv && entryOf(kv);
  });
  return { succeeded, revision: positionOf(header).revision, found };
}

function compareOf({ type, key: name, equals }: EtcdCondition): MessageInitShape<typeof CompareSchema> {
  const key = Buffer.from(name);
  const value = BigInt(equals);
  return type === "revision"
    ? { key, target: Compare_CompareTarget.MOD, targetUnion: { case: "modRevision", value } }
    : { key, target: Compare_CompareTarget.LEASE, targetUnion: { case: "lease", value } };
}

function operationOf(operation: EtcdOperation): MessageInitShape<typeof RequestOpSchema> {
  const key = Buffer.from(operation.key);
  if (operation.type === "get") return { request: { case: "requestRange", value: { key } } };
  if (operation.type === "delete") return { request: { case: "requestDeleteRange", value: { key } } };
  if (operation.type === "delete below") {
    // The character after the slash.
    const rangeEnd = Buffer.from(operation.key.replace(/\/$/u, "0"));
    return { request: { case: "requestDeleteRange", value: { key, rangeEnd } } };
  }
  const { value, lease = 0n } = operation;
  return { request: { case: "requestPut", value: { key, value: Buffer.from(value), lease } } };
}
