import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { KV, Lease, Watch } from "#gen/etcd/rpc_pb.js";
import { MeshError } from "../lib/errors.ts";
import { type GrpcConnection, UnprocessedCall } from "../lib/grpc/grpc-connection.ts";
import type { Metadata } from "../lib/grpc/grpc-stream.ts";
import { bufferOf, decodeAnswer, entryOf, positionOf } from "./decode-values.ts";
import { needsLogin } from "./etcd-error.ts";
import { type EtcdCredentials, EtcdLogin } from "./etcd-login.ts";
import {
  type EtcdTransaction,
  type EtcdTransactionResult,
  transactionRequest,
  transactionResult,
} from "./etcd-transaction.ts";
import type { EtcdEntry, EtcdPosition, KeyRange } from "./etcd-values.ts";
import { type EtcdWatch, StreamedWatch } from "./etcd-watch.ts";
import { methodPath, type NamedMethod } from "./method-path.ts";

export interface EtcdClientOptions {
  /** Connects to one member. Called with the first call, and again with the first call after the connection ended. */
  readonly connect: () => Promise<GrpcConnection>;
  /** Read for every login. Undefined: the calls have no user. */
  readonly credentials: (() => Promise<EtcdCredentials>) | undefined;
}

/** Which keys to read. Without `end`, a single one. */
export interface EtcdRangeRequest {
  readonly key: Uint8Array;
  readonly end?: Uint8Array;
  /** The most keys to return. Default: all. */
  readonly limit?: number;
  /** Reads the store as of this revision. Default: as of now. */
  readonly revision?: number;
  /** Returns no keys, only the position. */
  readonly countOnly?: boolean;
}

export interface EtcdRange {
  readonly entries: readonly EtcdEntry[];
  /** The bytes of the last key, of which a text may lose some. */
  readonly lastKey: Buffer | undefined;
  /** Whether the limit left out some keys. */
  readonly more: boolean;
  readonly position: EtcdPosition;
}

/** A method with one request and one response. A stream also serves it, if each side sends one message. */
interface Method<I extends DescMessage, O extends DescMessage> extends NamedMethod {
  readonly input: I;
  readonly output: O;
}

/**
 * A client of one member of an etcd cluster, over one connection at a time. It tries a call once: a repeated transaction
 * could meet its own effects, so the caller decides whether and where to retry. Only a call that the server has certainly
 * not carried out is sent again, once: after a goodbye on another connection, after a refused token with a new login.
 * Calls reject with a `MeshError` whose message is the reason alone.
 */
export class EtcdClient implements Disposable {
  readonly #options: EtcdClientOptions;
  readonly #login: EtcdLogin | undefined;
  #connection: Promise<GrpcConnection> | undefined;
  #isOpen = true;

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    this.#login = options.credentials && new EtcdLogin(options.credentials);
  }

  async range({ key, end, limit = 0, revision = 0, countOnly = false }: EtcdRangeRequest): Promise<EtcdRange> {
    const { header, kvs, more } = await this.#call(KV.method.range, {
      key,
      ...(end && { rangeEnd: end }),
      limit: BigInt(limit),
      revision: BigInt(revision),
      countOnly,
    });
    const last = kvs.at(-1);
    return { entries: kvs.map(entryOf), lastKey: last && bufferOf(last.key), more, position: positionOf(header) };
  }

  async transact(transaction: EtcdTransaction): Promise<EtcdTransactionResult> {
    return transactionResult(await this.#call(KV.method.txn, transactionRequest(transaction)));
  }

  /** Resolves when the watch is requested. Its first step says that the server has created it. */
  async watch(range: KeyRange, from: number): Promise<EtcdWatch> {
    const connection = await this.#connected();
    const metadata = await this.#metadata(connection);
    return new StreamedWatch(connection.open(methodPath(Watch.method.watch), metadata), range, from);
  }

  /** The id of a new lease. It lasts for this time after its last renewal. */
  async grantLease(ttlSeconds: number): Promise<bigint> {
    const { ID, error } = await this.#call(Lease.method.leaseGrant, { TTL: BigInt(ttlSeconds) });
    if (error !== "") throw new MeshError("unavailable", error);
    return ID;
  }

  /** Rejects if the lease has ended. */
  async renewLease(ID: bigint): Promise<void> {
    const { TTL } = await this.#call(Lease.method.leaseKeepAlive, { ID });
    if (TTL <= 0n) throw new MeshError("unavailable", "the lease has ended");
  }

  /** Ends open calls. */
  [Symbol.dispose](): void {
    this.#isOpen = false;
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.then((each) => each[Symbol.dispose]()).catch(() => {});
  }

  async #call<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    const bytes = toBinary(method.input, create(method.input, request));
    try {
      return await this.#attempt(method, bytes);
    } catch (thrown) {
      if (!(thrown instanceof UnprocessedCall)) throw thrown;
      return await this.#attempt(method, bytes);
    }
  }

  async #attempt<O extends DescMessage>(method: NamedMethod & { readonly output: O }, bytes: Uint8Array) {
    const { output } = method;
    const path = methodPath(method);
    const connection = await this.#connected();
    const metadata = await this.#metadata(connection);
    try {
      return decodeAnswer(output, await connection.call(path, bytes, metadata));
    } catch (thrown) {
      if (this.#login === undefined || !needsLogin(thrown)) throw thrown;
      await this.#login.refused(metadata);
      return decodeAnswer(output, await connection.call(path, bytes, await this.#metadata(connection)));
    }
  }

  async #metadata(connection: GrpcConnection): Promise<Metadata> {
    return (await this.#login?.metadata(connection)) ?? {};
  }

  async #connected(): Promise<GrpcConnection> {
    if (!this.#isOpen) throw new MeshError("cancelled", "the client of etcd is closed");
    const connecting = (this.#connection ??= this.#options.connect());
    try {
      const connection = await connecting;
      if (!connection.closed) return connection;
    } catch (thrown) {
      this.#forget(connecting);
      throw thrown;
    }
    this.#forget(connecting);
    return await this.#connected();
  }

  #forget(connecting: Promise<GrpcConnection>): void {
    if (this.#connection === connecting) this.#connection = undefined;
  }
}
