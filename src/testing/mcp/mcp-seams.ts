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
import type { CollectionSets } from "../../mcp/encoded-sets.ts";
import type { SinkUpdater } from "../../mcp/sink/sink-updater.ts";
import { intercept } from "../stream/intercept.ts";
import type { StreamMonitor } from "./mcp-monitor.ts";

/** Seams for planted faults. A seam that is absent changes nothing. Seams are new for every process. */
export interface McpSeams {
  /** Replaces a message that a stream's source sends. */
  readonly pushes?: () => (message: Resources) => readonly Resources[];
  /** Replaces a request that a stream's source receives. */
  readonly requests?: () => (request: RequestResources) => readonly RequestResources[];
  readonly updater?: (updater: SinkUpdater) => SinkUpdater;
  readonly clock?: (clock: Clock) => Clock;
  /** Changes an object before it is published. */
  readonly objects?: () => (config: Config) => Config;
  /** Replaces the set of changed collections that a source receives. */
  readonly changes?: () => (collections: ReadonlySet<string>) => ReadonlySet<string>;
  readonly sets?: (sets: CollectionSets) => CollectionSets;
  /** The source counts a push as acknowledged as soon as it is sent. */
  readonly ackAtOnce?: boolean;
  /** The process builds all objects anew for each snapshot. */
  readonly forgetful?: boolean;
}

export interface TestTap {
  readonly monitor: StreamMonitor;
  readonly seams: McpSeams;
  /** Receives a request that must change nothing. `deliver` passes it on. */
  readonly onForeignRequest: (deliver: () => void) => void;
}

/** The source's end of a stream, with a monitor and an optional fault in between. */
export function tappedInTest(stream: GrpcStream, { monitor, seams, onForeignRequest }: TestTap): GrpcStream {
  const rewritePush = seams.pushes?.() ?? ((message: Resources) => [message]);
  const rewriteRequest = seams.requests?.() ?? ((request: RequestResources) => [request]);
  return intercept(stream, {
    requestSchema: RequestResourcesSchema,
    responseSchema: ResourcesSchema,
    onRequest(request, { toServer }) {
      const deliver = () => rewriteRequest(request).forEach(toServer);
      if (monitor.requested(request)) deliver();
      else onForeignRequest(deliver);
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
