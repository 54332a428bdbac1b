/** The public API of `binnacle/xds`: an xDS server for whatever you have to serve. */
import { silentLogger } from "./app/log/silent-logger.ts";
import { systemClock } from "./app/process/system-clock.ts";
import type { GrpcStream } from "./lib/grpc/grpc-stream.ts";
import type { Logger } from "./lib/logger.ts";
import { createGrpcServer } from "./transport/server/grpc-server.ts";
import type { Admit } from "./xds/admission.ts";
import type { Connection } from "./xds/connection.ts";
import { introduceNode, type NodeClient } from "./xds/node-client.ts";
import type { StreamObserver } from "./xds/observer.ts";
import type { ResourceSource } from "./xds/resource-source.ts";
import { discoveryMethods } from "./xds/services/discovery-methods.ts";
import { warmingRules } from "./xds/stream/warming.ts";
import { type StreamKind, XdsServer } from "./xds/xds-server.ts";

export { GrpcStatus, type GrpcStream, type GrpcStreamHandler, type Peer } from "./lib/grpc/grpc-stream.ts";
export type { Admit, Admitted, Refusal } from "./xds/admission.ts";
export type { Connection } from "./xds/connection.ts";
export type { NodeClient } from "./xds/node-client.ts";
export type { SentResponse, StreamObserver } from "./xds/observer.ts";
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
  /** Who may come in: everybody whose node has an id, unless told otherwise. */
  readonly admit?: Admit<NodeClient>;
  /** What is counted and logged; nothing unless told otherwise. */
  readonly observer?: Partial<StreamObserver<NodeClient>>;
  /** Stands between the wire and the protocol: a stream for a stream. For tests, and for those who look inside. */
  readonly between?: (kind: StreamKind, stream: GrpcStream) => GrpcStream;
  /** For trouble below the protocol. */
  readonly logger?: Logger;
  /** How long a client may leave a response unanswered before the next one goes out all the same. */
  readonly ackTimeoutMs?: number;
}

/** A server over cleartext HTTP/2 that speaks every discovery service of xDS, v3 and v2, SotW and delta. */
export interface XdsLibraryServer {
  /** Resolves with the bound address. */
  start(): Promise<string>;
  /** Ends every stream with UNAVAILABLE. */
  stop(): Promise<void>;
  /** Looks again at what every client should have. A source with `onChange` does this by itself. */
  push(reason: string): void;
  readonly connections: ReadonlySet<Connection<NodeClient>>;
}

export function createXdsServer({
  address,
  source,
  logger = silentLogger,
  ...options
}: ServeOptions): XdsLibraryServer {
  const server = new XdsServer<NodeClient>({
    source,
    clock: systemClock,
    observer: { ...silent, ...options.observer },
    warmingRules,
    ackTimeoutMs: options.ackTimeoutMs ?? 15_000,
    admit: options.admit ?? (() => ({ type: "admitted", introduce: introduceNode })),
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
  ackOverdue: nobody,
  unknownType: nobody,
  streamFailed: nobody,
  converged: nobody,
  written: nobody,
};
