import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { defaultRetention } from "../../galley/source/registry/registry-state.ts";
import type { SessionSource } from "../../galley/source/session-source.ts";
import type { SourceEvent } from "../../galley/source/source.ts";
import { curatorLayout } from "../../galley/source/zookeeper/curator/curator-layout.ts";
import { dubboLayout } from "../../galley/source/zookeeper/dubbo/dubbo-layout.ts";
import type { Layout } from "../../galley/source/zookeeper/layout.ts";
import type { OpenSession } from "../../galley/source/zookeeper/session.ts";
import { createZooKeeperSource } from "../../galley/source/zookeeper/zookeeper-source.ts";
import { FakeClock } from "../fake-clock.ts";
import { FakeZooKeeper } from "./fake-zookeeper.ts";

/** The layout of a registry, by the numbers of services and instances. */
export interface ZookeeperDialect {
  readonly layout: Layout;
  readonly service: (service: number) => string;
  readonly instance: (service: number, instance: number) => readonly [path: string, data: string];
}

const settings = { namespace: "shop", hostSuffix: "", port: 0, instancePort: true, ignoredLabels: [] };

export const dialects: Readonly<Record<"dubbo" | "curator", ZookeeperDialect>> = {
  dubbo: {
    layout: dubboLayout({ ...settings, naming: "key", protocol: "DUBBO", schemes: ["dubbo"] }),
    service: (service) => `/registry/s${service}`,
    instance: (service, instance) => {
      return [`/registry/s${service}/providers/${encodeURIComponent(`dubbo://10.0.0.${instance}:1/x?a=b`)}`, ""];
    },
  },
  curator: {
    layout: curatorLayout({ ...settings, protocol: "HTTP" }),
    service: (service) => `/registry/s${service}`,
    instance: (service, instance) => {
      return [`/registry/s${service}/${instance}`, JSON.stringify({ address: `10.0.0.${instance}`, port: 1 })];
    },
  },
};

export type HistoryStep =
  | { readonly type: "register" | "leave"; readonly service: number; readonly instance: number }
  | { readonly type: "drop" | "forbid" | "allow"; readonly service: number }
  | { readonly type: "connect" | "replicate" | "deliver" | "wait"; readonly amount: number }
  | { readonly type: "disconnect" | "expire" | "lose root" };

const service = fc.integer({ min: 0, max: 2 });
const amount = fc.integer({ min: 0, max: 6 });
export const histories: fc.Arbitrary<readonly HistoryStep[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("register" as const), service, instance: service }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("leave" as const), service, instance: service }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("drop", "forbid", "allow"), service }) },
    {
      weight: 8,
      arbitrary: fc.record({ type: fc.constantFrom("connect", "replicate", "deliver", "deliver", "wait"), amount }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("disconnect", "expire", "expire", "lose root") }) },
  ),
  { maxLength: 80, size: "max" },
);

/** A client with a known mistake. */
export type SessionFault = (open: OpenSession) => OpenSession;

/** How the source follows the registry. A watch of the whole tree does not report nodes that the client may not read. */
export interface Following {
  readonly recursive: boolean;
  readonly refreshMs?: number;
}

/** A source over a changing world, and the events it must send. */
export class History {
  readonly #world = new FakeZooKeeper();
  readonly #clock = new FakeClock();
  readonly #dialect: ZookeeperDialect;
  readonly #source: SessionSource;
  readonly #registered = new Set<string>();
  /** The number of removals of instances, and of endpoints, by the same name. */
  readonly #departures = new Map<string, number>();
  readonly #losses = new Map<string, number>();
  readonly #shown = new Map<string, ReadonlySet<string>>();
  readonly flaps: string[] = [];

  constructor(dialect: ZookeeperDialect, fault: SessionFault, { recursive, refreshMs = 0 }: Following) {
    this.#dialect = dialect;
    this.#source = createZooKeeperSource({
      ...defaultRetention,
      name: "zookeeper:test",
      clock: this.#clock,
      open: fault(this.#world.open),
      addresses: 2,
      sessionTimeoutMs: 30_000,
      root: "/registry",
      layout: dialect.layout,
      mode: "watching",
      recursive,
      refreshMs,
      debounceMs: 0,
      parallel: 2,
    });
  }

  async run(history: readonly HistoryStep[]): Promise<void> {
    await this.#source.start((events) => this.#hear(events));
    for (const step of history) {
      this.#do(step);
      await setImmediate();
    }
    this.#world.forbidden.clear();
    await this.#settle();
    await this.#source.stop();
  }

  /** The endpoints that the source shows, and the registered instances. */
  get outcome(): { readonly shown: readonly string[]; readonly registered: readonly string[] } {
    const shown = [...this.#shown].flatMap(([name, addresses]) =>
      Array.from(addresses, (address) => `${name} ${address}`),
    );
    return { shown: shown.toSorted(), registered: [...this.#registered].toSorted() };
  }

  #do(step: HistoryStep): void {
    switch (step.type) {
      case "register":
        this.#world.put(...this.#dialect.instance(step.service, step.instance));
        this.#registered.add(nameOf(step.service, step.instance));
        return;
      case "leave":
        this.#world.delete(this.#dialect.instance(step.service, step.instance)[0]);
        this.#leave(nameOf(step.service, step.instance));
        return;
      case "drop":
        this.#world.delete(this.#dialect.service(step.service));
        for (const instance of [0, 1, 2]) this.#leave(nameOf(step.service, instance));
        return;
      case "forbid":
        this.#world.forbidden.add(this.#listing(step.service));
        return;
      case "allow":
        this.#world.forbidden.delete(this.#listing(step.service));
        return;
      case "lose root":
        this.#world.delete("/registry");
        for (const name of this.#registered) this.#leave(name);
        return;
      case "wait":
        this.#clock.advance(step.amount * 500);
        return;
      case "connect":
      case "replicate":
      case "deliver":
        this.#world[step.type](step.amount);
        return;
      case "disconnect":
      case "expire":
        this.#world[step.type]();
    }
  }

  #listing(number: number): string {
    return `/registry${this.#dialect.layout.listedAt([`s${number}`])}`;
  }

  #leave(name: string): void {
    if (this.#registered.delete(name)) this.#departures.set(name, (this.#departures.get(name) ?? 0) + 1);
  }

  #hear(events: readonly SourceEvent[]): void {
    for (const event of events) {
      if (event.type !== "upserted") continue;
      const { endpoints } = event.config.spec as ServiceEntry;
      const now = new Set(endpoints.map(({ address }) => address));
      for (const address of this.#shown.get(event.config.name) ?? []) {
        if (!now.has(address)) this.#lose(`${event.config.name} ${address}`);
      }
      this.#shown.set(event.config.name, now);
    }
  }

  /** An endpoint may disappear as often as its instance did. */
  #lose(name: string): void {
    const losses = (this.#losses.get(name) ?? 0) + 1;
    this.#losses.set(name, losses);
    if (losses > (this.#departures.get(name) ?? 0)) this.flaps.push(name);
  }

  /** Delivers everything on its way, without obstacles, for longer than any pause. */
  async #settle(): Promise<void> {
    for (let second = 0; second < 70; second += 1) {
      this.#clock.advance(1_000);
      this.#world.connect();
      this.#world.replicate();
      this.#world.deliver();
      await setImmediate();
    }
  }
}

function nameOf(serviceNumber: number, instance: number): string {
  return `s${serviceNumber} 10.0.0.${instance}`;
}
