import { fromBinary, toJson } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { allTypes } from "../../admin/resource/all-types.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { StreamKind } from "../../xds/xds-server.ts";
import type { AdsServer } from "../envoy/model-stream.ts";

/** One response on the wire, and the answer of the client to it. */
interface TappedResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly bytes: Buffer;
  readonly at: number;
  /** `order` counts the answers on all streams. */
  answer?: { readonly type: "ack" | "nack"; readonly at: number; readonly order: number };
}

/** Everything on the wire of one stream. */
export interface TappedStream {
  readonly openedAt: number;
  readonly responses: TappedResponse[];
  closed: boolean;
}

/** Records the bytes of streams between clients and a server. It knows nothing of pushes. */
export class StreamTap implements AdsServer {
  readonly streams: TappedStream[] = [];
  readonly #server: AdsServer;
  readonly #now: () => number;
  #answers = 0;

  constructor(server: AdsServer, now: () => number) {
    this.#server = server;
    this.#now = now;
  }

  /** The resources on the wire of a stream in state of the world, as JSON: the last version of each, by type and name. */
  contentsOf(stream: number): ReadonlyMap<string, unknown> {
    const found = new Map<string, unknown>();
    for (const { bytes } of this.streams[stream]?.responses ?? []) {
      const { typeUrl, resources } = fromBinary(DiscoveryResponseSchema, bytes);
      for (const any of resources) {
        const json = toJson(AnySchema, any, { registry: allTypes(), useProtoFieldName: true });
        const { name, cluster_name: clusterName } = json as { readonly name?: string; readonly cluster_name?: string };
        found.set(`${typeUrl.split(".").at(-1)} ${name ?? clusterName}`, json);
      }
    }
    return found;
  }

  serve(stream: GrpcStream, kind: StreamKind): void {
    const tapped: TappedStream = { openedAt: this.#now(), responses: [], closed: false };
    this.streams.push(tapped);
    const response = kind.mode === "sotw" ? DiscoveryResponseSchema : DeltaDiscoveryResponseSchema;
    const record = (bytes: Buffer) => {
      const { typeUrl, nonce } = fromBinary(response, bytes);
      tapped.responses.push({ typeUrl, nonce, bytes, at: this.#now() });
    };
    const hear = (bytes: Uint8Array) => this.#hear(tapped, kind, bytes);
    this.#server.serve(
      {
        peer: stream.peer,
        get closed() {
          return stream.closed;
        },
        get queued() {
          return stream.queued;
        },
        attach(handler) {
          stream.attach({
            onMessage(bytes) {
              hear(bytes);
              handler.onMessage(bytes);
            },
            onFlushed: () => handler.onFlushed(),
            onClose(reason) {
              tapped.closed = true;
              handler.onClose(reason);
            },
          });
        },
        send(prefix, segments) {
          record(Buffer.concat([prefix, ...segments]));
          stream.send(prefix, segments);
        },
        end: (status, message) => stream.end(status, message),
      },
      kind,
    );
  }

  #hear(tapped: TappedStream, { mode }: StreamKind, bytes: Uint8Array): void {
    const schema = mode === "sotw" ? DiscoveryRequestSchema : DeltaDiscoveryRequestSchema;
    const { responseNonce, errorDetail } = fromBinary(schema, bytes);
    const answered = tapped.responses.find(({ nonce }) => nonce === responseNonce);
    if (answered === undefined || answered.answer !== undefined) return;
    const order = ++this.#answers;
    answered.answer = { type: errorDetail === undefined ? "ack" : "nack", at: this.#now(), order };
  }
}
