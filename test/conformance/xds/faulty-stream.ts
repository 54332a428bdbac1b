import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { GrpcStatus, GrpcStream, GrpcStreamHandler, Peer } from "../../../src/lib/grpc/grpc-stream.ts";
import type { Memory, ServerFault } from "./faults.ts";
import type { Variant } from "./subject.ts";

/** A stream on which messages suffer a fault between the wire and the server. */
export class FaultyStream implements GrpcStream {
  readonly #stream: GrpcStream;
  readonly #fault: ServerFault;
  readonly #mode: Variant["mode"];
  readonly #memory: Memory = { names: new Set(), resources: new Map(), responses: new Map() };
  #handler: GrpcStreamHandler | undefined;

  constructor(stream: GrpcStream, fault: ServerFault, mode: Variant["mode"]) {
    this.#stream = stream;
    this.#fault = fault;
    this.#mode = mode;
  }

  get peer(): Peer {
    return this.#stream.peer;
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  get queued(): number {
    return this.#stream.queued;
  }

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
    const { sotw, delta } = this.#fault;
    this.#stream.attach({
      onMessage: (bytes) => {
        const heard =
          this.#mode === "sotw"
            ? this.#suffer(DiscoveryRequestSchema, bytes, sotw?.request)
            : this.#suffer(DeltaDiscoveryRequestSchema, bytes, delta?.request);
        for (const each of heard) handler.onMessage(each);
      },
      onFlushed: () => handler.onFlushed(),
      onClose: (reason) => handler.onClose(reason),
    });
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    const bytes = Buffer.concat([prefix, ...segments]);
    const schema = this.#mode === "sotw" ? DiscoveryResponseSchema : DeltaDiscoveryResponseSchema;
    const { typeUrl, nonce } = fromBinary(schema, bytes);
    this.#memory.responses.set(typeUrl, (this.#memory.responses.get(typeUrl) ?? 0) + 1);
    const { sotw, delta } = this.#fault;
    const sent =
      this.#mode === "sotw"
        ? this.#suffer(DiscoveryResponseSchema, bytes, sotw?.response)
        : this.#suffer(DeltaDiscoveryResponseSchema, bytes, delta?.response);
    for (const each of sent) this.#stream.send(each, []);
    if (this.#fault.acknowledges && this.#mode === "delta") this.#acknowledge(typeUrl, nonce);
  }

  end(status: GrpcStatus, message?: string): void {
    this.#stream.end(status, message);
  }

  #suffer<Desc extends DescMessage>(
    schema: Desc,
    bytes: Uint8Array,
    tamper: ((message: MessageShape<Desc>, memory: Memory) => readonly MessageShape<Desc>[]) | undefined,
  ): readonly Uint8Array[] {
    if (tamper === undefined) return [bytes];
    return tamper(fromBinary(schema, bytes), this.#memory).map((message) => toBinary(schema, message));
  }

  #acknowledge(typeUrl: string, responseNonce: string): void {
    const ack = create(DeltaDiscoveryRequestSchema, { typeUrl, responseNonce });
    this.#handler?.onMessage(toBinary(DeltaDiscoveryRequestSchema, ack));
  }
}
