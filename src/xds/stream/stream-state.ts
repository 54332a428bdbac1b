import { errorFrom } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Mode } from "../mode.ts";
import type { NameSets } from "../resources/name-set.ts";
import type { Client, Lease, ResourceSource } from "../resource-source.ts";
import type { StreamObserver } from "../stream-observer.ts";
import type { Subscription } from "../subscription/subscription.ts";
import type { RouteSplits } from "../virtual-hosts/route-splits.ts";
import { StreamRoutes } from "../virtual-hosts/stream-routes.ts";
import { Ordering, type OrderingOptions } from "./ordering.ts";
import { PushProgress } from "./push-progress.ts";
import { StreamTypes } from "./stream-types.ts";
import { Warming } from "./warming.ts";
import type { Watch } from "./watch.ts";

/** State that all streams of a server share. */
export interface StreamContext<C extends Client> extends OrderingOptions {
  readonly source: ResourceSource<C>;
  readonly nameSets: NameSets;
  readonly splits: RouteSplits;
  readonly observer: StreamObserver<C>;
  /** Whether the next response of a type waits until the client acknowledged the last one. Default: true. */
  readonly flowControl?: boolean;
}

/** A stream, and the client at its other end. */
export interface StreamFacts<C extends Client> {
  readonly client: C;
  readonly mode: Mode;
  readonly stream: GrpcStream;
}

/** State of one stream that its requests, its pushes and its responses share. */
export class StreamState<C extends Client> {
  readonly client: C;
  readonly mode: Mode;
  readonly stream: GrpcStream;
  readonly context: StreamContext<C>;
  /** By type URL. */
  readonly watches = new Map<string, Watch>();
  readonly types: StreamTypes;
  readonly ordering: Ordering;
  readonly warming: Warming;
  /** Undefined if the client gets whole route configurations. */
  readonly routes: StreamRoutes | undefined;
  readonly progress: PushProgress;

  /** `onGraceOver` is called when removals need not wait any more for types that the client has not requested. */
  constructor({ client, mode, stream }: StreamFacts<C>, context: StreamContext<C>, onGraceOver: () => void) {
    this.client = client;
    this.mode = mode;
    this.stream = stream;
    this.context = context;
    this.types = new StreamTypes(context.source);
    this.ordering = new Ordering(this.watches, context, () => this.guarded(onGraceOver));
    this.warming = new Warming(context.warmingRules);
    const minHosts = mode === "delta" ? context.source.splitFrom?.(client) : undefined;
    this.routes = minHosts === undefined ? undefined : new StreamRoutes({ ...context, minHosts });
    const { nodeId } = client;
    this.progress = new PushProgress({
      owed: (pushes) => context.observer.pushesOwed?.(nodeId, pushes),
      ended: (pushes, how) => context.observer.pushesEnded?.(nodeId, pushes, how),
    });
  }

  /** Leases the resources of a type. Returns the lease from before if the source prolongs it. */
  lease(subscription: Subscription, before?: Lease): Lease {
    const { type, asked } = subscription;
    const { source } = this.context;
    if (this.routes === undefined) return source.lease(type, this.client, asked, before);
    return this.routes.lease(subscription, (known) => source.lease(type, this.client, asked, known), before);
  }

  /** A bug in serving one client ends only the stream of that client. The client opens it again. */
  guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.context.observer.streamFailed(this.client.nodeId, errorFrom(thrown));
      this.stream.end(GrpcStatus.INTERNAL, "internal error");
    }
  }

  /** The stream has ended. */
  end(): void {
    this.ordering.end();
    for (const watch of this.watches.values()) watch.end();
    this.watches.clear();
    this.progress.close();
  }
}
