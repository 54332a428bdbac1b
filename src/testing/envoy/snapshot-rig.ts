import type { Client, Lease } from "../../xds/resource-source.ts";
import type { PlainResource } from "../../xds/resources/make-resource.ts";
import { SnapshotSource } from "../../xds/snapshot-source.ts";
import { type WarmingRules, warmingRules } from "../../xds/stream/warming.ts";
import { type StreamKind, XdsServer } from "../../xds/xds-server.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { deltaClient, sotwClient } from "../stream/asking-client.ts";
import { streamPair, type TestClientStream } from "../stream/stream-pair.ts";

const group = "all";

/** Names with a content, by type URL. */
export type SnapshotContents = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface SnapshotRigOptions {
  readonly flowControl?: boolean;
  /** Splits route configurations with at least so many virtual hosts, on delta streams. */
  readonly splitFrom?: number;
  /** Warming rules that are switched off. */
  readonly off?: Partial<WarmingRules>;
}

/** The protocol on a snapshot, without sockets and with time in the test's hands. */
export class SnapshotRig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly source = new SnapshotSource<Client>({ groupOf: () => group });
  readonly server: XdsServer<Client>;
  /** Types that cannot be made at present. */
  readonly failing = new Set<string>();

  /** How long it takes to make what a client asks for. */
  makingMs = 0;
  /** How long the last push took to make it. */
  madeMs = 0;

  constructor({ flowControl = true, splitFrom, off = {} }: SnapshotRigOptions = {}) {
    const { source, failing } = this;
    this.server = new XdsServer<Client>({
      source: {
        types: source.types,
        splitFrom: () => splitFrom,
        lease: (type, client) => {
          const lease = source.lease(type, client);
          this.clock.advance(this.makingMs);
          const { madeMs } = this;
          return failing.has(type.typeUrl) ? { ...lease, target: undefined } : timed(lease, madeMs);
        },
      },
      clock: this.clock,
      observer: this.observer,
      warmingRules: { ...warmingRules, ...off },
      ackTimeoutMs: 15_000,
      flowControl,
      admit: () => ({ type: "admitted", introduce: () => ({ type: "client", client: { nodeId: "node" } }) }),
      idOf: ({ nodeId }) => nodeId,
    });
    this.source.onChange(() => {
      const push = { reasons: new Map([["edit", 1]]), startedAt: this.clock.now() };
      for (const connection of this.server.connections) connection.push(push);
    });
  }

  /** `others` are resources with messages that the server reads: route configurations that it splits. */
  set(contents: SnapshotContents, others: readonly PlainResource[] = []): void {
    const resources = Object.entries(contents).flatMap(([typeUrl, names]) =>
      Object.entries(names).map(([name, content]) => {
        const warmedBy = typeUrl.endsWith(".Cluster") ? { warmedBy: name } : {};
        return { typeUrl, name, value: Buffer.from(content), ...warmedBy };
      }),
    );
    this.source.set(group, { resources: [...resources, ...others] });
  }

  sotw(kind: Omit<StreamKind, "mode"> = {}) {
    return sotwClient(this.#open({ mode: "sotw", ...kind }));
  }

  delta(kind: Omit<StreamKind, "mode"> = {}) {
    return deltaClient(this.#open({ mode: "delta", ...kind }));
  }

  #open(kind: StreamKind): TestClientStream {
    const { server, client } = streamPair();
    this.server.serve(server, kind);
    return client;
  }
}

function timed(lease: Lease, madeMs: number): Lease {
  return {
    id: lease.id,
    get target() {
      return lease.target;
    },
    madeMs,
    end: () => lease.end(),
  };
}
