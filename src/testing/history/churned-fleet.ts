import type { ConnectedProxies } from "../../app/history/fleet-sampler.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import type { PushRange } from "../../xds/stream/push-set.ts";
import { proxyWithName } from "../model/proxy-with-name.ts";
import type { Random } from "../random/random.ts";

/** A stream with two types, reduced to what the history looks at. */
interface ToyStream {
  readonly client: Proxy;
  unanswered: readonly PushRange[];
}

/** Proxies that fall behind, catch up, and are replaced by others. */
export class ChurnedFleet {
  readonly #random: Random;
  readonly #streams: ToyStream[];
  #names = 0;

  constructor(proxies: number, random: Random) {
    this.#random = random;
    this.#streams = Array.from({ length: proxies }, () => this.#connect());
  }

  /** The proxies as the discovery server knows them. */
  get connected(): ConnectedProxies {
    const streams = this.#streams;
    return {
      get connections() {
        return new Set(streams.map(connectionOf));
      },
      queuedFor: () => undefined,
    };
  }

  /** One of so many proxies does not answer this push. */
  fallBehind(push: number, oneOf: number): void {
    for (const stream of this.#streams) {
      if (this.#random.once(oneOf)) stream.unanswered = [...stream.unanswered, { first: push, last: push }];
    }
  }

  catchUp(): void {
    for (const stream of this.#streams) stream.unanswered = [];
  }

  /** Pods are replaced: other proxies connect. */
  replace(count: number): void {
    for (let each = 0; each < count; each += 1)
      this.#streams[this.#random.below(this.#streams.length)] = this.#connect();
  }

  #connect(): ToyStream {
    this.#names += 1;
    const pod = `web-${this.#names.toString(36)}-${this.#random.below(1e9).toString(36)}`;
    const id = `sidecar~10.${this.#names >> 16}.${(this.#names >> 8) & 255}.${this.#names & 255}~${pod}.shop~shop.svc.cluster.local`;
    const labels = {
      app: "web",
      version: "v1",
      "pod-template-hash": "7d9f8b6c5",
      "security.istio.io/tlsMode": "istio",
    };
    const metadata = {
      NAMESPACE: "shop",
      CLUSTER_ID: "Kubernetes",
      NAME: pod,
      WORKLOAD_NAME: "web",
      SERVICE_ACCOUNT: "web",
      ISTIO_VERSION: "1.29.6",
      MESH_ID: "cluster.local",
      INTERCEPTION_MODE: "REDIRECT",
      NODE_NAME: `node-${this.#names % 50}`,
      LABELS: labels,
    };
    return { client: proxyWithName(id, metadata), unanswered: [] };
  }
}

function connectionOf({ client, unanswered }: ToyStream): Connection<Proxy> {
  const pushes = { waiting: [], unanswered, incomplete: [], isOpening: false };
  const watched = ["CDS", "EDS"].map((shortName) => ({ pushes, target: [], subscription: { type: { shortName } } }));
  // The history reads nothing else of a stream.
  return { client, watched } as unknown as Connection<Proxy>;
}
