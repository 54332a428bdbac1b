import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { StreamKind } from "../../xds/xds-server.ts";

/** A call from outside that changes what proxies get, beside objects, streams and timers. */
export type OutsideCall =
  /** Everything is published: proxies may connect. */
  | { readonly type: "ready" }
  /** An operator pushes everything to all proxies. */
  | { readonly type: "push all"; readonly reason: string }
  /** The key set of an issuer was fetched. Without a text it is no longer needed. */
  | { readonly type: "key set"; readonly key: string; readonly text?: string }
  /** The roots that workloads trust from now on. */
  | { readonly type: "roots"; readonly pems: readonly string[] };

/** Calls and new streams from outside pass here, so that a recorder can write them down in their order. */
export interface Entrance {
  call(call: OutsideCall, work: () => void): void;
  stream(stream: GrpcStream, kind: StreamKind, serve: (stream: GrpcStream) => void): void;
}

export const openEntrance: Entrance = {
  call: (_call, work) => work(),
  stream: (stream, _kind, serve) => serve(stream),
};
