/** The public API of `binnacle/xds`: an xDS server for any resource source. */
import { silentLogger } from "./app/log/silent-logger.ts";
import { systemClock } from "./app/process/system-clock.ts";
import type { GrpcStream } from "./lib/grpc/grpc-stream.ts";
import type { Logger } from "./lib/logger.ts";
import { createGrpcServer } from "./transport/server/grpc-server.ts";
import type { Admit } from "./xds/admission.ts";
import type { Connection } from "./xds/connection.ts";
import { introduceNode, type NodeClient } from "./xds/node-client.ts";
import type { StreamObserver } from "./xds/stream-observer.ts";
import type { ResourceSource } from "./xds/resource-source.ts";
import { discoveryMethods } from "./xds/services/discovery-methods.ts";
import { warmingRules } from "./xds/stream/warming.ts";
import { type StreamKind, XdsServer } from "./xds/xds-server.ts";

export { GrpcStatus, type GrpcStream, type GrpcStreamHandler, type Peer } from "./lib/grpc/grpc-stream.ts";
export type { Admit, Admitted, Refusal } from "./xds/admission.ts";
export type { Connection } from "./xds/connection.ts";
export type { NodeClient } from "./xds/node-client.ts";
export type { SentResponse, StreamObserver } from "./xds/stream-observer.ts";
export type { Client, Lease, ResourceSource } from "./xds/resource-source.ts";
export { envoyResourceTypes, type ResourceType } from "./xds/resource-type.ts";
export { makeResource, type PlainResource } from "./xds/resources/make-resource.ts";
export type { NameSet } from "./xds/resources/name-set.ts";
export type { Resource } from "./xds/resources/resource.ts";
export { ResourceSet, type ResourceUpdate } from "./xds/resources/resource-set.ts";
export type { Target } from "./xds/resources/target.ts";
export { type Snapshot, SnapshotSource, type SnapshotSourceOptions } from "./xds/snapshot-source.ts";
export { type Repetition, repetitions } from "./xds/subscription/repetition.ts";
export * from "./xds/type-urls.ts";
export type { StreamKind } from "./xds/xds-server.ts";

export interface ServeOptions {
  /** `HOST:PORT`; port 0 lets the system choose. */
  readonly address: string;
  readonly source: ResourceSource<NodeClient> & { onChange?(listener: () => void): () => void };
  /** Decides which streams the server accepts. Default: every client whose node has an id. */
  readonly admit?: Admit<NodeClient>;
  /** Receives stream events for metrics and logs. Default: no observer. */
  readonly observer?: Partial<StreamObserver<NodeClient>>;
  /** Wraps each stream between the transport and the protocol. For tests and for debugging. */
  readonly between?: (kind: StreamKind, stream: GrpcStream) => GrpcStream;
  /** Logs errors below the xDS protocol. */
  readonly logger?: Logger;
  /** How long the server waits for an ACK or NACK before it sends the next response anyway. */
  readonly ackTimeoutMs?: number;
  /** The largest node of a client, metadata included. Default: 256 KiB. The default `admit` uses it. */
  readonly maxNodeBytes?: number;
}

/** A server over cleartext HTTP/2. It serves every xDS discovery service: v3 and v2, SotW and delta. */
export interface XdsLibraryServer {
  /** Resolves with the bound address. */
  start(): Promise<string>;
  /** Ends every stream with UNAVAILABLE. */
  stop(): Promise<void>;
  /** Checks every client for pending updates. A source with `onChange` triggers this check by itself. */
  push(reason: string): void;
  readonly connections: ReadonlySet<Connection<NodeClient>>;
}

export function createXdsServer({
  address,
  source,
  logger = silentLogger,
  ...options
}: ServeOptions): XdsLibraryServer {
  const introduce = introduceNode(options.maxNodeBytes);
  const server = new XdsServer<NodeClient>({
    source,
    clock: systemClock,
    observer: { ...silent, ...options.observer },
    warmingRules,
    ackTimeoutMs: options.ackTimeoutMs ?? 15_000,
    admit: options.admit ?? (() => ({ type: "admitted", introduce })),
    idOf: ({ nodeId }) => nodeId,
  });
  const push = (reason: string) => {
    const startedAt = systemClock.now();
    for (const connection of server.connections) connection.push({ reasons: new Map([[reason, 1]]), startedAt });
  };
  const unsubscribe = source.onChange?.(() => push("change"));
  const { between = (_kind, stream) => stream } = options;
  const methods = discoveryMethods((stream, kind) => server.serve(between(kind, stream), kind));
  const transport = createGrpcServer({ address, methods, logger });
  return {
    start: () => transport.start(),
    stop: async () => {
      unsubscribe?.();
      await transport.stop({ graceMs: 1_000 });
    },
    push,
    get connections() {
      return server.connections;
    },
  };
}

const nobody = () => undefined;

const silent: StreamObserver<NodeClient> = {
  connected: nobody,
  disconnected: nobody,
  refused: nobody,
  responseSent: nobody,
  rejected: nobody,
  staleNonce: nobody,
  delayed: nobody,
  released: nobody,
  sendFailed: nobody,
  ackOverdue: nobody,
  unknownType: nobody,
  streamFailed: nobody,
  converged: nobody,
  written: nobody,
};
