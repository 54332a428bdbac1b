import { reflectedNames } from "../../../galley/source/kube/reflected-names.ts";
import { type Reflection, Reflector } from "../../../galley/source/kube/reflector.ts";
import type { KubeClient } from "../../../kube/kube-client.ts";
import type { SupervisedClock } from "../../../lib/supervisor.ts";
import { Pauses } from "../../../lib/time/pauses.ts";
import type { Led } from "../../kube/lease/leader-election.ts";
import { WorkQueue } from "../../kube/work-queue.ts";
import { writeRootCertificate } from "./write-root-certificate.ts";

export interface PublisherOptions {
  readonly client: KubeClient;
  readonly clock: SupervisedClock;
  readonly random: () => number;
  /** The roots that workloads trust now, PEM; "" while they are not known. */
  readonly bundle: () => string;
  readonly onWritten: (namespace: string, result: "created" | "updated") => void;
  /** The ConfigMap of a namespace could not be written. The publisher tries again later. */
  readonly onFailure: (namespace: string, error: unknown) => void;
  /** Namespaces or ConfigMaps cannot be followed now. */
  readonly onError: (error: unknown) => void;
}

/** The ConfigMap that istio-proxy containers mount. */
const name = "istio-ca-root-cert";

/** istiod leaves them out too. No workload of a mesh runs there. */
const ignored: ReadonlySet<string> = new Set(["kube-public", "kube-node-lease", "local-path-storage"]);

const maxNamespaces = 100_000;
const paceMs = 10;

/** Keeps the ConfigMap `istio-ca-root-cert` in every namespace: also in new ones, and after somebody changed it. */
export class RootCertificatePublisher implements Led {
  readonly #options: PublisherOptions;
  readonly #queue: WorkQueue;
  readonly #namespaces = new Set<string>();
  #run: AbortController | undefined;
  #following: Promise<unknown> = Promise.resolve();

  constructor(options: PublisherOptions) {
    this.#options = options;
    const { clock, onFailure } = options;
    this.#queue = new WorkQueue({ clock, paceMs, onFailure, work: (namespace) => this.#write(namespace) });
  }

  start(): void {
    const run = new AbortController();
    const { client, clock, random } = this.#options;
    this.#run = run;
    this.#queue.start();
    const outage = new Pauses(clock, run.signal);
    const context = { client, clock, random, server: { watchList: false }, outage };
    const follow = (reflection: Reflection) => new Reflector(reflection, context, run.signal).run();
    this.#following = Promise.all([follow(this.#namespacesFollowed()), follow(this.#configMapsFollowed())]);
  }

  async stop(): Promise<void> {
    this.#run?.abort();
    this.#run = undefined;
    await Promise.all([this.#following, this.#queue.stop()]);
    this.#namespaces.clear();
  }

  /** The roots have changed. */
  publish(): void {
    if (this.#run === undefined) return;
    for (const namespace of this.#namespaces) this.#queue.add(namespace);
  }

  #namespacesFollowed(): Reflection {
    const { onError } = this.#options;
    return reflectedNames({
      path: "/api/v1/namespaces",
      maxNames: maxNamespaces,
      changed: (namespace, there) => {
        if (there && !ignored.has(namespace)) this.#namespaces.add(namespace);
        else this.#namespaces.delete(namespace);
        this.#look(namespace);
      },
      following: () => undefined,
      failed: onError,
    });
  }

  /** The names do not differ, so a full read shows nothing. */
  #configMapsFollowed(): Reflection {
    return {
      fieldSelector: `metadata.name=${name}`,
      metadataOnly: true,
      locate: () => Promise.resolve("/api/v1/configmaps"),
      begin: () => ({ take: () => Promise.resolve(), end: () => this.publish() }),
      change: (events) => {
        for (const { object } of events) this.#look(object.metadata.namespace);
        return Promise.resolve();
      },
      absent: () => undefined,
      following: () => undefined,
      failed: this.#options.onError,
    };
  }

  #look(namespace: string): void {
    if (this.#namespaces.has(namespace)) this.#queue.add(namespace);
  }

  async #write(namespace: string): Promise<void> {
    const { client, bundle, onWritten } = this.#options;
    const content = bundle();
    if (content === "" || !this.#namespaces.has(namespace)) return;
    const result = await writeRootCertificate(client, { namespace, name, bundle: content });
    if (result !== "unchanged") onWritten(namespace, result);
  }
}
