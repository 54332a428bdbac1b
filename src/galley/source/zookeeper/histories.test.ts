import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { FakeZooKeeper } from "../../../testing/fake-zookeeper.ts";
import { runs, seed } from "../../../testing/seed.ts";
import { defaultRetention } from "../registry/registry-state.ts";
import type { SourceEvent } from "../source.ts";
import { curatorLayout } from "./curator/curator-layout.ts";
import { dubboLayout } from "./dubbo/dubbo-layout.ts";
import type { Layout } from "./layout.ts";
import type { OpenSession, Session } from "./session.ts";
import { ZooKeeperSource } from "./zookeeper-source.ts";

/** How a registry is written, by the numbers of services and instances. */
interface Dialect {
  readonly layout: Layout;
  readonly service: (service: number) => string;
  readonly instance: (service: number, instance: number) => readonly [path: string, data: string];
}

const settings = { namespace: "shop", hostSuffix: "", port: 0, instancePort: true, ignoredLabels: [] };

const dialects: Readonly<Record<"dubbo" | "curator", Dialect>> = {
  dubbo: {
    layout: dubboLayout({ ...settings, naming: "key", protocol: "DUBBO", schemes: ["dubbo"] }),
    service: (service) => `/root/s${service}`,
    instance: (service, instance) => {
      return [`/root/s${service}/providers/${encodeURIComponent(`dubbo://10.0.0.${instance}:1/x?a=b`)}`, ""];
    },
  },
  curator: {
    layout: curatorLayout({ ...settings, protocol: "HTTP" }),
    service: (service) => `/root/s${service}`,
    instance: (service, instance) => {
      return [`/root/s${service}/${instance}`, JSON.stringify({ address: `10.0.0.${instance}`, port: 1 })];
    },
  },
};

type Step =
  | { readonly type: "register" | "leave"; readonly service: number; readonly instance: number }
  | { readonly type: "drop" | "forbid" | "allow"; readonly service: number }
  | { readonly type: "connect" | "replicate" | "deliver" | "wait"; readonly amount: number }
  | { readonly type: "disconnect" | "expire" | "lose root" };

const service = fc.integer({ min: 0, max: 2 });
const amount = fc.integer({ min: 0, max: 6 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
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

/** What goes wrong in a client that makes a known mistake. */
type Fault = (open: OpenSession) => OpenSession;

/** A source over a world that changes, and what it must say. */
class History {
  readonly #world = new FakeZooKeeper();
  readonly #clock = new FakeClock();
  readonly #dialect: Dialect;
  readonly #source: ZooKeeperSource;
  readonly #registered = new Set<string>();
  /** How often instances were taken away, and how often endpoints were, by the same name. */
  readonly #departures = new Map<string, number>();
  readonly #losses = new Map<string, number>();
  readonly #shown = new Map<string, ReadonlySet<string>>();
  readonly flaps: string[] = [];

  constructor(dialect: Dialect, fault: Fault) {
    this.#dialect = dialect;
    this.#source = new ZooKeeperSource({
      ...defaultRetention,
      name: "zookeeper:test",
      clock: this.#clock,
      open: fault(this.#world.open),
      addresses: 2,
      sessionTimeoutMs: 30_000,
      root: "/root",
      layout: dialect.layout,
      mode: "watching",
      refreshMs: 0,
      debounceMs: 0,
      debounceMaxMs: 0,
      parallel: 2,
    });
  }

  async run(history: readonly Step[]): Promise<void> {
    await this.#source.start((events) => this.#hear(events));
    for (const step of history) {
      this.#do(step);
      await setImmediate();
    }
    this.#world.forbidden.clear();
    await this.#settle();
    await this.#source.stop();
  }

  /** What is shown, and what is registered. */
  get outcome(): { readonly shown: readonly string[]; readonly registered: readonly string[] } {
    const shown = [...this.#shown].flatMap(([name, addresses]) =>
      Array.from(addresses, (address) => `${name} ${address}`),
    );
    return { shown: shown.toSorted(), registered: [...this.#registered].toSorted() };
  }

  #do(step: Step): void {
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
        this.#world.delete("/root");
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
    return `/root${this.#dialect.layout.listedAt([`s${number}`])}`;
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

  /** An endpoint may go as often as its instance did. */
  #lose(name: string): void {
    const losses = (this.#losses.get(name) ?? 0) + 1;
    this.#losses.set(name, losses);
    if (losses > (this.#departures.get(name) ?? 0)) this.flaps.push(name);
  }

  /** Everything that is under way arrives, and nothing is in the way of it, for longer than any pause. */
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

function holds(dialect: Dialect, fault: Fault): fc.IAsyncProperty<[readonly Step[]]> {
  return fc.asyncProperty(steps, async (history) => {
    const told = new History(dialect, fault);
    await told.run(history);
    const { shown, registered } = told.outcome;
    expect(told.flaps).toEqual([]);
    expect(shown).toEqual(registered);
  });
}

const none: Fault = (open) => open;

/** A session that does some things otherwise. */
function altered(session: Session, changes: Partial<Session>): Session {
  return {
    children: (path, onChange) => session.children(path, onChange),
    data: (path, onChange) => session.data(path, onChange),
    exists: (path, onChange) => session.exists(path, onChange),
    get seen() {
      return session.seen;
    },
    close: () => session.close(),
    ...changes,
  };
}

const faults: Readonly<Record<string, Fault>> = {
  "sets the watch after it has read the children"(open) {
    return (onEvent, seen) => {
      const session = open(onEvent, seen);
      return altered(session, {
        async children(path, onChange) {
          const answer = await session.children(path);
          void session.children(path, onChange);
          return answer;
        },
      });
    };
  },
  "takes a folder that it may not read for an empty one"(open) {
    return (onEvent, seen) => {
      const session = open(onEvent, seen);
      return altered(session, {
        async children(path, onChange) {
          const answer = await session.children(path, onChange);
          return answer.type === "refused" ? { type: "found", value: [] } : answer;
        },
      });
    };
  },
  "does not notice that it was not connected for a while"(open) {
    return (onEvent, seen) => {
      let connected = false;
      return open((event) => {
        if (event === "disconnected" || (event === "connected" && connected)) return;
        connected = true;
        onEvent(event);
      }, seen);
    };
  },
  "does not hear that its session has expired"(open) {
    return (onEvent, seen) => open((event) => event === "expired" || onEvent(event), seen);
  },
};

describe.each(["dubbo", "curator"] as const)(
  "a %s registry, whatever happens to its servers and connections",
  (name) => {
    test("is shown as it is in the end, and no endpoint goes that was not taken away", async () => {
      await fc.assert(holds(dialects[name], none), { seed, numRuns: runs(400) });
    });

    test.each(Object.keys(faults))("would not be by a client that %s", async (fault) => {
      const { failed } = await fc.check(holds(dialects[name], faults[fault] ?? none), {
        seed,
        numRuns: 500,
        endOnFailure: true,
      });
      expect(failed).toBe(true);
    });
  },
);

test("a session that takes the place of another is shown nothing that is older, and would be if it did not say so", async () => {
  const arrivals: readonly Step[] = Array.from({ length: 5 }, () => ({ type: "deliver", amount: 9 }));
  const history: readonly Step[] = [
    { type: "register", service: 0, instance: 0 },
    { type: "connect", amount: 0 },
    ...arrivals,
    { type: "register", service: 0, instance: 1 },
    { type: "replicate", amount: 9 },
    ...arrivals,
    { type: "expire" },
    { type: "connect", amount: 1 },
    ...arrivals,
  ];
  const [told, trusting] = [
    new History(dialects.dubbo, none),
    new History(dialects.dubbo, (open) => (onEvent) => open(onEvent)),
  ];
  await told.run(history);
  await trusting.run(history);
  expect(told.flaps).toEqual([]);
  expect(trusting.flaps).toEqual(["s0 10.0.0.1"]);
});
