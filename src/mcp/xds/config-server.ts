import { GrpcStatus, type GrpcStream, type Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Admitted, Refusal } from "../../xds/admission.ts";
import type { Connection } from "../../xds/connection.ts";
import { warmingRules } from "../../xds/stream/warming.ts";
import type { StreamObserver } from "../../xds/stream-observer.ts";
import { type StreamKind, XdsServer } from "../../xds/xds-server.ts";
import { ConfigCatalogue, type ConfigCatalogueOptions } from "./config-catalogue.ts";
import { type ConfigClient, introduceConfigClient } from "./config-client.ts";

export interface ConfigServerOptions extends ConfigCatalogueOptions {
  readonly clock: Clock;
  readonly observer: StreamObserver<ConfigClient>;
  /** Whether a client may read the whole mesh. */
  readonly mayRead: (peer: Peer) => boolean;
  /** How long to wait for an ACK before newer content is sent anyway (XS-13). */
  readonly ackTimeoutMs: number;
}

/**
 * MCP over xDS: configuration for other control planes, on the same streams as proxies. Subscriptions, ACKs and deltas
 * are those of {@link XdsServer}. The server lives as long as its cache.
 */
export class ConfigServer {
  readonly #options: ConfigServerOptions;
  readonly #streams: XdsServer<ConfigClient>;

  constructor(options: ConfigServerOptions) {
    const { cache, clock, observer, ackTimeoutMs } = options;
    this.#options = options;
    this.#streams = new XdsServer<ConfigClient>({
      source: new ConfigCatalogue(options),
      clock,
      observer,
      warmingRules,
      ackTimeoutMs,
      admit: (stream) => this.#admit(stream),
      idOf: ({ nodeId }) => nodeId,
    });
    cache.onChange({ changed: () => this.#push() });
  }

  get connections(): ReadonlySet<Connection<ConfigClient>> {
    return this.#streams.connections;
  }

  /** Serves or rejects a new stream before it returns. */
  serve(stream: GrpcStream, kind: StreamKind): void {
    this.#streams.serve(stream, kind);
  }

  #push(): void {
    const push = { reasons: new Map([["config", 1]]), startedAt: this.#options.clock.now() };
    for (const connection of this.connections) connection.push(push);
  }

  #admit({ peer }: GrpcStream): Admitted<ConfigClient> | Refusal {
    const { mayRead } = this.#options;
    // A client with an empty answer would delete all its objects.
    if (!this.#isComplete()) return refused(GrpcStatus.UNAVAILABLE, "not ready: sources are not synced yet");
    if (mayRead(peer)) return { type: "admitted", introduce: introduceConfigClient };
    if (peer.identities === undefined) {
      return refused(GrpcStatus.UNAUTHENTICATED, "configuration is only for authenticated operators of the mesh");
    }
    const known = peer.identities.join(", ") || "nobody";
    return refused(GrpcStatus.PERMISSION_DENIED, `configuration is only for operators of the mesh, not for ${known}`);
  }

  /** Whether there is a snapshot of every group. */
  #isComplete(): boolean {
    const { collections, groups } = this.#options.cache;
    return collections.values().every(({ group }) => groups.includes(group));
  }
}

function refused(status: GrpcStatus, message: string): Refusal {
  return { type: "refused", status, message };
}
