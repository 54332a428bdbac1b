import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Event, Event_EventType } from "#gen/etcd/kv_pb.js";
import { WatchRequestSchema, type WatchResponse, WatchResponseSchema } from "#gen/etcd/rpc_pb.js";
import { errorFrom, MeshError, networkReason } from "../lib/errors.ts";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../lib/grpc/grpc-stream.ts";
import { bufferOf, decodeAnswer, entryOf, positionOf } from "./decode-values.ts";
import type { EtcdChange, EtcdPosition, KeyRange } from "./etcd-values.ts";

/** One message of a watch. */
export type WatchStep =
  /** The watch is created; `position` is the position of the store at that time. */
  | { readonly type: "created"; readonly position: EtcdPosition }
  /** The changes of whole transactions, in order. */
  | { readonly type: "changes"; readonly changes: readonly EtcdChange[] }
  /** Everything up to this revision has been reported. */
  | { readonly type: "progress"; readonly revision: number }
  /** The store was compacted: changes after the requested revision are no longer available. */
  | { readonly type: "compacted" };

/** Iteration throws when the watch is cancelled or fails. */
export interface EtcdWatch extends AsyncIterable<WatchStep>, Disposable {
  /**
   * Requests a `progress` message once everything has been reported. A server that lags behind drops the request, so
   * repeat it.
   */
  askProgress(): void;
  /** Ends the watch: its reader gets this error. */
  fail(reason: Error): void;
}

/**
 * A watch on its own stream. It never resumes: after a failure, the reader knows best where to continue. It asks for no
 * fragments, so every message has whole transactions.
 */
export class StreamedWatch implements EtcdWatch {
  readonly #stream: GrpcStream;
  readonly #steps: WatchStep[] = [];
  #failure: Error | undefined;
  #news = Promise.withResolvers<void>();

  constructor(stream: GrpcStream, { key, end }: KeyRange, from: number) {
    this.#stream = stream;
    stream.attach({
      onMessage: (bytes) => this.#receive(bytes),
      onFlushed: () => {},
      onClose: (reason) => this.#fail(closeError(reason)),
    });
    const value = { key, rangeEnd: end, startRevision: BigInt(from), progressNotify: true };
    this.#send({ requestUnion: { case: "createRequest", value } });
  }

  /** Steps that arrived before a failure come first. A reader that takes its time lets the steps wait in memory. */
  async *[Symbol.asyncIterator](): AsyncGenerator<WatchStep> {
    for (;;) {
      const step = this.#steps.shift();
      if (step !== undefined) yield step;
      else if (this.#failure !== undefined) throw this.#failure;
      else await this.#news.promise;
    }
  }

  askProgress(): void {
    this.#send({ requestUnion: { case: "progressRequest", value: {} } });
  }

  fail(reason: Error): void {
    this.#fail(reason);
    this.#stream.end(GrpcStatus.CANCELLED);
  }

  [Symbol.dispose](): void {
    this.fail(new MeshError("cancelled", "the watch was cancelled"));
  }

  #send(request: MessageInitShape<typeof WatchRequestSchema>): void {
    this.#stream.send(toBinary(WatchRequestSchema, create(WatchRequestSchema, request)), []);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#failure !== undefined) return;
    try {
      // The bytes are valid only during this call, and the values of the step are views of them.
      this.#steps.push(stepOf(decodeAnswer(WatchResponseSchema, Buffer.from(bytes))));
      this.#tell();
    } catch (thrown) {
      this.fail(errorFrom(thrown));
    }
  }

  #fail(reason: Error): void {
    this.#failure ??= reason;
    this.#tell();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

/** Throws if the watch has ended. */
function stepOf({ header, created, canceled, compactRevision, cancelReason, events }: WatchResponse): WatchStep {
  if (canceled && compactRevision > 0n) return { type: "compacted" };
  if (canceled) throw new MeshError("unavailable", `the server ended the watch: ${cancelReason || "no reason given"}`);
  if (created) return { type: "created", position: positionOf(header) };
  if (events.length > 0) return { type: "changes", changes: events.map(changeOf) };
  return { type: "progress", revision: positionOf(header).revision };
}

function changeOf({ type, kv }: Event): EtcdChange {
  if (kv === undefined) throw new MeshError("peer-protocol", "etcd sent a change without a key");
  if (type === Event_EventType.DELETE)
    return { type: "delete", key: bufferOf(kv.key).toString(), revision: Number(kv.modRevision) };
  return { type: "put", ...entryOf(kv) };
}

function closeError(reason: CloseReason): Error {
  if (reason.type === "broken") return brokenError(reason.cause);
  const { code = GrpcStatus.OK, message = "" } = (reason.type === "server" && reason.status) || {};
  if (code === GrpcStatus.OK) return new MeshError("unavailable", "the server ended the watch");
  return new MeshError("unavailable", message === "" ? `the watch failed with gRPC status ${code}` : message);
}

function brokenError(cause: Error): MeshError {
  return cause instanceof MeshError ? cause : new MeshError("unavailable", networkReason(cause), { cause });
}
