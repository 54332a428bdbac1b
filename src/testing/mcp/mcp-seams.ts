import { create } from "@bufbuild/protobuf";
import {
  type RequestResources,
  RequestResourcesSchema,
  type Resources,
  ResourcesSchema,
} from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Config } from "../../config/config.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { CollectionSets } from "../../mcp/formed-sets.ts";
import type { SinkUpdater } from "../../mcp/sink/sink-updater.ts";
import { between } from "../stream/between.ts";
import type { StreamMonitor } from "./mcp-monitor.ts";

/** Where faults are planted. All of them leave things as they are unless given; made anew for every process. */
export interface McpSeams {
  /** What a stream's source sends, in its place. */
  readonly pushes?: () => (message: Resources) => readonly Resources[];
  /** What a stream's source hears, in its place. */
  readonly requests?: () => (request: RequestResources) => readonly RequestResources[];
  readonly updater?: (updater: SinkUpdater) => SinkUpdater;
  readonly clock?: (clock: Clock) => Clock;
  /** An object as it is published. */
  readonly objects?: () => (config: Config) => Config;
  /** What a source hears of changes. */
  readonly changes?: () => (collections: ReadonlySet<string>) => ReadonlySet<string>;
  readonly sets?: (sets: CollectionSets) => CollectionSets;
  /** The source takes its own sending for an acknowledgement. */
  readonly ackAtOnce?: boolean;
  /** Objects are made anew with each snapshot. */
  readonly forgetful?: boolean;
}

export interface Tap {
  readonly monitor: StreamMonitor;
  readonly seams: McpSeams;
  /** A request that must change nothing: `deliver` hands it over. */
  readonly onStranger: (deliver: () => void) => void;
}

/** The source's end of a stream with a monitor and perhaps a fault in between. */
export function tapped(stream: GrpcStream, { monitor, seams, onStranger }: Tap): GrpcStream {
  const rewritePush = seams.pushes?.() ?? ((message: Resources) => [message]);
  const rewriteRequest = seams.requests?.() ?? ((request: RequestResources) => [request]);
  return between(stream, {
    requestSchema: RequestResourcesSchema,
    responseSchema: ResourcesSchema,
    onRequest(request, { toServer }) {
      const deliver = () => rewriteRequest(request).forEach(toServer);
      if (monitor.requested(request)) deliver();
      else onStranger(deliver);
    },
    onResponse(message, { toClient, toServer }) {
      for (const push of rewritePush(message)) {
        monitor.pushed(push);
        toClient(push);
        const { collection, nonce: responseNonce } = push;
        if (!seams.ackAtOnce) continue;
        toServer(create(RequestResourcesSchema, { sinkNode: {}, collection, responseNonce, incremental: true }));
      }
    },
  });
}
