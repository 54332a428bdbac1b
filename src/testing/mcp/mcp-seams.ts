import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type RequestResources,
  RequestResourcesSchema,
  type Resources,
  ResourcesSchema,
} from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { GrpcStream, GrpcStreamHandler } from "../../lib/grpc-stream.ts";
import type { CollectionSets } from "../../mcp/formed-sets.ts";
import { encodeRequest } from "../../mcp/sink/encode-request.ts";
import type { SinkUpdater } from "../../mcp/sink/sink-updater.ts";
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

const nobody = { id: "", annotations: {} };

/** The source's end of a stream with a monitor and perhaps a fault in between. */
export function tapped(stream: GrpcStream, { monitor, seams, onStranger }: Tap): GrpcStream {
  const rewritePush = seams.pushes?.() ?? ((message: Resources) => [message]);
  const rewriteRequest = seams.requests?.() ?? ((request: RequestResources) => [request]);
  let source: GrpcStreamHandler | undefined;
  return {
    peer: stream.peer,
    get closed() {
      return stream.closed;
    },
    get queued() {
      return stream.queued;
    },
    attach(handler) {
      source = handler;
      stream.attach({
        ...handler,
        onMessage(bytes) {
          const request = fromBinary(RequestResourcesSchema, bytes);
          const deliver = () => {
            for (const each of rewriteRequest(request)) handler.onMessage(toBinary(RequestResourcesSchema, each));
          };
          if (monitor.requested(request)) deliver();
          else onStranger(deliver);
        },
        onFlushed: () => handler.onFlushed(),
        onClose: (reason) => handler.onClose(reason),
      });
    },
    send(prefix, segments) {
      for (const message of rewritePush(fromBinary(ResourcesSchema, Buffer.concat([prefix, ...segments])))) {
        monitor.pushed(message);
        stream.send(toBinary(ResourcesSchema, message), []);
        const { collection, nonce } = message;
        if (seams.ackAtOnce) source?.onMessage(encodeRequest(nobody, { collection, nonce, incremental: true }));
      }
    },
    end: (status, message) => stream.end(status, message),
  };
}
