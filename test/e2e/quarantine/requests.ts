import { Load, type LoggedRequest } from "../support/envoy/fortio.ts";
import { editedHost } from "./fleet.ts";
import { hostOf } from "./tenant-mesh.ts";

/** Nobody changes this host. */
const steadyHost = 0;

/** The result of all requests. */
interface SentRequests {
  readonly sent: number;
  readonly perSecond: number;
  readonly failures: readonly LoggedRequest[];
}

/** Requests to hosts that are not spoilt: half of them to a host that nobody changes, half to one with many edits. */
export class Requests implements AsyncDisposable {
  readonly #port: number;
  readonly #qps: number;
  readonly #resources = new AsyncDisposableStack();
  #loads: readonly Load[] = [];
  #startedAt = 0;

  constructor(port: number, qps: number) {
    this.#port = port;
    this.#qps = qps;
  }

  /** Call it when the gateway serves both hosts. */
  async start(): Promise<void> {
    const qps = this.#qps / 2;
    const start = (index: number) => Load.start({ port: this.#port, host: hostOf(index), path: "/", qps });
    this.#loads = await Promise.all([steadyHost, editedHost].map(start));
    for (const load of this.#loads) this.#resources.use(load);
    this.#startedAt = Date.now();
  }

  async stop(): Promise<SentRequests> {
    const seconds = (Date.now() - this.#startedAt) / 1000;
    const requests = (await Promise.all(this.#loads.map((load) => load.stop()))).flat();
    const failures = requests.filter(({ ok }) => !ok);
    return { sent: requests.length, perSecond: requests.length / seconds, failures };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
