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
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Mode } from "../../xds/mode.ts";
import { intercept } from "../stream/intercept.ts";

type Rewrite<Message> = (message: Message) => readonly Message[];

/** Seams for planted faults in MCP over xDS. A seam that is absent changes nothing. Seams are new for every stream. */
export interface ConfigSeams {
  readonly sotw?: () => Rewrite<DiscoveryResponse>;
  readonly delta?: () => Rewrite<DeltaDiscoveryResponse>;
  readonly sotwRequests?: () => Rewrite<DiscoveryRequest>;
  readonly deltaRequests?: () => Rewrite<DeltaDiscoveryRequest>;
  /** Changes an object before it is published. */
  readonly objects?: (config: Config) => Config;
  /** True if the server notices the next change. */
  readonly hears?: () => boolean;
}

/** The messages that an observer between both ends sees. */
export interface Onlooker {
  responded(typeUrl: string, nonce: string): void;
  requested(typeUrl: string, nonce: string): void;
}

/** The server's end of a stream, with an onlooker and an optional fault in between. */
export function seamed(stream: GrpcStream, mode: Mode, seams: ConfigSeams, onlooker: Onlooker): GrpcStream {
  return mode === "sotw"
    ? intercept(stream, {
        requestSchema: DiscoveryRequestSchema,
        responseSchema: DiscoveryResponseSchema,
        ...rewriting(onlooker, seams.sotwRequests?.(), seams.sotw?.()),
      })
    : intercept(stream, {
        requestSchema: DeltaDiscoveryRequestSchema,
        responseSchema: DeltaDiscoveryResponseSchema,
        ...rewriting(onlooker, seams.deltaRequests?.(), seams.delta?.()),
      });
}

type AnyRequest = DiscoveryRequest | DeltaDiscoveryRequest;
type AnyResponse = DiscoveryResponse | DeltaDiscoveryResponse;

function rewriting<Q extends AnyRequest, R extends AnyResponse>(
  onlooker: Onlooker,
  rewriteRequest: Rewrite<Q> = (request) => [request],
  rewriteResponse: Rewrite<R> = (response) => [response],
) {
  return {
    onRequest(request: Q, { toServer }: { readonly toServer: (request: Q) => void }) {
      onlooker.requested(request.typeUrl, request.responseNonce);
      rewriteRequest(request).forEach(toServer);
    },
    onResponse(response: R, { toClient }: { readonly toClient: (response: R) => void }) {
      for (const each of rewriteResponse(response)) {
        onlooker.responded(each.typeUrl, each.nonce);
        toClient(each);
      }
    },
  };
}
