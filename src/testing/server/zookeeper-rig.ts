import { setImmediate } from "node:timers/promises";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { defaultRetention } from "../../galley/source/registry/registry-state.ts";
import type { SessionSource } from "../../galley/source/session-source.ts";
import { dubboLayout } from "../../galley/source/zookeeper/dubbo/dubbo-layout.ts";
import { createZooKeeperSource, type ZooKeeperOptions } from "../../galley/source/zookeeper/zookeeper-source.ts";
import { FakeClock } from "../fake-clock.ts";
import { SourceRecorder } from "../recording/source-recorder.ts";
import { FakeZooKeeper } from "./fake-zookeeper.ts";

const layout = dubboLayout({
  naming: "key",
  namespace: "dubbo",
  hostSuffix: "",
  protocol: "DUBBO",
  port: 0,
  instancePort: true,
  ignoredLabels: [],
  schemes: ["dubbo"],
});

/** A source of a Dubbo registry, the ensemble it reads, and the events it sent. */
export class ZooKeeperRig {
  readonly world: FakeZooKeeper;
  readonly clock = new FakeClock();
  readonly heard = new SourceRecorder();
  readonly source: SessionSource;

  constructor(options: Partial<ZooKeeperOptions> = {}, world = new FakeZooKeeper()) {
    this.world = world;
    this.source = createZooKeeperSource({
      ...defaultRetention,
      name: "zookeeper:test",
      clock: this.clock,
      open: this.world.open,
      addresses: 3,
      sessionTimeoutMs: 30_000,
      root: "/dubbo",
      layout,
      mode: "watching",
      recursive: true,
      refreshMs: 0,
      debounceMs: 0,
      parallel: 2,
      ...options,
    });
  }

  /** Starts the source, connects it, and delivers everything. */
  async start(): Promise<void> {
    await this.source.start(this.heard.handler);
    this.world.connect();
    await this.arrive();
  }

  register(name: string, host: number): void {
    this.world.put(`/dubbo/${name}/providers/${providerNode(host)}`);
  }

  leave(name: string, host: number): void {
    this.world.delete(`/dubbo/${name}/providers/${providerNode(host)}`);
  }

  /** Delivers everything on its way. */
  async arrive(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) {
      this.world.replicate();
      this.world.deliver();
      await setImmediate();
    }
  }

  /** The addresses of a service's endpoints. */
  endpoints(name: string): readonly string[] | undefined {
    const config = this.heard.config("k8s/networking.istio.io/v1alpha3/serviceentries", `dubbo/${name}`);
    return (config?.spec as ServiceEntry | undefined)?.endpoints.map(({ address }) => address);
  }

  /** The number of full syncs. */
  get syncs(): number {
    return this.heard.events.filter(({ type }) => type === "fullSync").length;
  }

  /** The health reports of the source, in order. */
  get health(): readonly string[] {
    return this.heard.events.flatMap((event) => {
      return event.type === "stale" ? [`stale: ${event.reason}`] : event.type === "fresh" ? ["fresh"] : [];
    });
  }
}

function providerNode(host: number): string {
  return encodeURIComponent(`dubbo://10.0.0.${host}:20880/x?side=provider`);
}
