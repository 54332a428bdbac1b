import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Config } from "../../config/config.ts";
import type { GrpcStream } from "../../lib/grpc-stream.ts";
import type { Mode } from "../../mcp/xds/sink/read-response.ts";

type Rewrite<Message> = (message: Message) => readonly Message[];

/** Where faults are planted in MCP over xDS. All of them leave things as they are unless given; new for every stream. */
export interface ConfigSeams {
  readonly sotw?: () => Rewrite<DiscoveryResponse>;
  readonly delta?: () => Rewrite<DeltaDiscoveryResponse>;
  readonly sotwRequests?: () => Rewrite<DiscoveryRequest>;
  readonly deltaRequests?: () => Rewrite<DeltaDiscoveryRequest>;
  /** An object as it is published. */
  readonly objects?: (config: Config) => Config;
  /** Whether the server hears of the next change. */
  readonly hears?: () => boolean;
}

/** What somebody sees who stands between. */
export interface Onlooker {
  responded(typeUrl: string, nonce: string): void;
  requested(typeUrl: string, nonce: string): void;
}

/** The server's end of a stream with an onlooker and perhaps a fault in between. */
export function seamed(stream: GrpcStream, mode: Mode, seams: ConfigSeams, onlooker: Onlooker): GrpcStream {
  return mode === "sotw"
    ? between(stream, onlooker, {
        requestSchema: DiscoveryRequestSchema,
        responseSchema: DiscoveryResponseSchema,
        request: seams.sotwRequests?.(),
        response: seams.sotw?.(),
      })
    : between(stream, onlooker, {
        requestSchema: DeltaDiscoveryRequestSchema,
        responseSchema: DeltaDiscoveryResponseSchema,
        request: seams.deltaRequests?.(),
        response: seams.delta?.(),
      });
}

interface Between<Q extends DescMessage, R extends DescMessage> {
  readonly requestSchema: Q;
  readonly responseSchema: R;
  readonly request: Rewrite<MessageShape<Q>> | undefined;
  readonly response: Rewrite<MessageShape<R>> | undefined;
}

function between<Q extends DescMessage, R extends DescMessage>(
  stream: GrpcStream,
  onlooker: Onlooker,
  { requestSchema, responseSchema, request = (each) => [each], response = (each) => [each] }: Between<Q, R>,
): GrpcStream {
  return {
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
          const message = fromBinary(requestSchema, bytes);
          const { typeUrl, responseNonce } = message as unknown as DiscoveryRequest;
          onlooker.requested(typeUrl, responseNonce);
          for (const each of request(message)) handler.onMessage(toBinary(requestSchema, each));
        },
        onFlushed: () => handler.onFlushed(),
        onClose: (reason) => handler.onClose(reason),
      });
    },
    send(prefix, segments) {
      for (const each of response(fromBinary(responseSchema, Buffer.concat([prefix, ...segments])))) {
        const { typeUrl, nonce } = each as unknown as DiscoveryResponse;
        onlooker.responded(typeUrl, nonce);
        stream.send(toBinary(responseSchema, each), []);
      }
    },
    end: (status, message) => stream.end(status, message),
  };
}
