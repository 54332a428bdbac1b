import { EnvoyModel, type ModelNode, settleAll } from "../../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../../src/testing/envoy/envoy-resources.ts";
import type { AdsServer } from "../../../src/testing/envoy/model-stream.ts";
import type { Random } from "../../../src/testing/random/random.ts";

/** The most pods at one moment. */
const most = 6;

/** Proxies that come and go. Every new one has a name that no proxy had before, as pods of a Deployment have. */
export class Pods {
  readonly #server: AdsServer;
  readonly #random: Random;
  readonly #running: EnvoyModel[] = [];
  #started = 0;

  constructor(server: AdsServer, random: Random) {
    this.#server = server;
    this.#random = random;
  }

  /** The number of pods so far. */
  get started(): number {
    return this.#started;
  }

  /** Starts, ends or reconnects a pod, or lets one reject responses for a while. */
  churn(): void {
    const { length } = this.#running;
    const event = this.#random.below(8);
    if (length === 0 || (event < 3 && length < most)) this.#start();
    else if (event < 5) this.#end();
    else if (event < 7) this.#reconnect();
    else this.#toggleRejections();
  }

  /** Lets all pods read until nothing is left for them. `pushed` lets time pass and waits for pushes. */
  settle(pushed: () => Promise<void>): Promise<void> {
    return settleAll(this.#running, pushed);
  }

  endAll(): void {
    while (this.#running.length > 0) this.#end();
  }

  #start(): void {
    this.#started++;
    const pod = new EnvoyModel(this.#random.once(2) ? "sotw" : "delta", readEnvoyResource, this.#newNode());
    pod.connect(this.#server);
    this.#running.push(pod);
  }

  #newNode(): ModelNode {
    const namespace = this.#random.pick(["a", "b"]);
    const isGateway = this.#random.once(3);
    const address = `10.0.0.${1 + this.#random.below(9)}`;
    const name = `pod-${this.#started}.${namespace}~${namespace}.svc.cluster.local`;
    const nodeId = `${isGateway ? "router" : "sidecar"}~${address}~${name}`;
    return { nodeId, metadata: { LABELS: { app: isGateway ? "edge" : this.#random.pick(["x", "y"]) } } };
  }

  #end(): void {
    const [ended] = this.#running.splice(this.#random.below(this.#running.length), 1);
    ended?.disconnect();
  }

  #reconnect(): void {
    const pod = this.#random.pick(this.#running);
    pod.disconnect();
    pod.connect(this.#server);
  }

  #toggleRejections(): void {
    const pod = this.#random.pick(this.#running);
    const rejects = !pod.reject("");
    pod.reject = () => rejects;
  }
}
