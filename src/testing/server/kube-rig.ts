import { configKey } from "../../config/config.ts";
import { kinds } from "../../config/kinds.ts";
import type { KubeSourceOptions } from "../../galley/source/kube/kube-session.ts";
import { createKubeSource } from "../../galley/source/kube/kube-source.ts";
import type { SessionSource } from "../../galley/source/session-source.ts";
import type { SourceEvent } from "../../galley/source/source.ts";
import { assert } from "../../lib/assert.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { eventually } from "../eventually.ts";
import { SourceRecorder } from "../recording/source-recorder.ts";
import { FakeKube, type FakeObject } from "./fake-kube.ts";

export const kubeServiceEntries = "/apis/networking.istio.io/v1/serviceentries";
export const services = "/api/v1/services";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A clock that runs twenty times as fast: minutes take seconds. */
const hurriedClock: Clock = {
  now: () => performance.now() * 20,
  after(ms, run) {
    const timer = setTimeout(run, ms / 20);
    return () => clearTimeout(timer);
  },
};

/** A source, the server it reads, and its listener. */
export class KubeRig implements AsyncDisposable {
  readonly fake: FakeKube;
  readonly source: SessionSource;
  readonly heard = new SourceRecorder();
  /** The reason why the source is stale. Undefined while it is fresh. */
  stale: string | undefined;

  private constructor(fake: FakeKube, options: Partial<KubeSourceOptions>) {
    this.fake = fake;
    this.source = createKubeSource({
      name: "kube:",
      kinds: kinds.filter(({ kind }) => ["Service", "ServiceEntry"].includes(kind)),
      clock: hurriedClock,
      access: { kubeconfig: fake.kubeconfig(), context: undefined },
      namespaces: [],
      namespaceSelector: undefined,
      random: Math.random,
      ...options,
    });
  }

  /** By default the server has ServiceEntries and Services. The source is not started. */
  static async create(
    resources: readonly string[] = [services, kubeServiceEntries],
    options: Partial<KubeSourceOptions> = {},
  ): Promise<KubeRig> {
    return new KubeRig(await FakeKube.start([definitions, ...resources]), options);
  }

  /** Resolves when the source has delivered everything. */
  async synced(): Promise<void> {
    await this.start();
    await this.until("everything is told", () => this.syncs.length === this.source.collections.length);
  }

  start(): Promise<void> {
    return this.source.start((events) => {
      this.heard.handler(events);
      for (const event of events) this.stale = staleAfter(event, this.stale);
    });
  }

  get syncs(): readonly SourceEvent[] {
    return this.heard.events.filter(({ type }) => type === "fullSync");
  }

  /** `namespace/name=hostname` of the delivered ServiceEntries, sorted. */
  get told(): readonly string[] {
    return Array.from(this.heard.state.values(), (config) => {
      const { hosts = [] } = config.spec as { readonly hosts?: readonly string[] };
      return `${configKey(config)}=${hosts.join()}`;
    }).toSorted();
  }

  async until(what: string, claim: () => boolean): Promise<void> {
    const look = () => {
      assert(claim(), `told are ${this.told.join(" ")}`);
      return true;
    };
    await eventually(what, look, { seconds: 20 });
  }

  /** Waits until the source has delivered these ServiceEntries. */
  async tells(...told: readonly string[]): Promise<void> {
    await this.until(`told are ${told.join(" ")}`, () => this.told.join(" ") === told.join(" "));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source.stop();
    await this.fake[Symbol.asyncDispose]();
  }
}

export function entry(name: string, hostname: string, namespace = "shop"): FakeObject {
  const ports = [{ number: 80, name: "http", protocol: "HTTP" }];
  const spec = { hosts: [hostname], ports, resolution: "DNS" };
  return { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata: { name, namespace }, spec };
}

function staleAfter(event: SourceEvent, before: string | undefined): string | undefined {
  if (event.type === "stale") return event.reason;
  return event.type === "fresh" ? undefined : before;
}
