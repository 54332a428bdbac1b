import { clusterType } from "../../../../src/xds/type-urls.ts";
import { gatewayNode } from "../../support/envoy/bootstrap.ts";
import { SotwClient } from "../../support/xds/ads-client.ts";

/** Another version than that of the recording clients: a class of its own, so that they are not affected. */
const node = {
  id: "router~10.99.0.1~old.istio-system~istio-system.svc.cluster.local",
  metadata: { ...gatewayNode.metadata, ISTIO_VERSION: "1.0.0" },
};

/** A proxy that refuses the clusters of one host. It answers only while the test asks it to. */
export class RefusingProxy implements Disposable {
  readonly #client: SotwClient;
  readonly #host: string;

  constructor(port: number, host: string) {
    this.#client = new SotwClient(port, node);
    this.#host = host;
    this.#client.subscribe(clusterType);
  }

  /** Answers the responses that have arrived by now. */
  async answer(): Promise<void> {
    while (this.#client.stream.waiting(clusterType) > 0) {
      const response = await this.#client.next(clusterType);
      const isRefused = response.resources.some(({ value }) => Buffer.from(value).includes(this.#host));
      if (isRefused) this.#client.nack(response, `Error adding/updating cluster(s) of ${this.#host}`);
      else this.#client.ack(response);
    }
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
