import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { entryName, healthType, type RegistrationEvent, WorkloadRegistry } from "./workload-registry.ts";
import type { RegisteredWorkload, WorkloadGroupFacts, WorkloadStore, WrittenEntryFacts } from "./workload-store.ts";

/** A store that is a map. */
class MapStore implements WorkloadStore {
  readonly entries = new Map<string, RegisteredWorkload>();
  facts: WorkloadGroupFacts | undefined = { serviceAccount: "", probed: false };
  fault: Error | undefined;
  puts = 0;
  /** The facts of the one entry that a person wrote, and the reports about it. */
  written: WrittenEntryFacts | undefined = { serviceAccount: "", checked: true };
  readonly reports: string[] = [];

  /** The one group there is. */
  group(namespace: string, name: string): WorkloadGroupFacts | undefined {
    return namespace === "shop" && name === "billing" ? this.facts : undefined;
  }
  put(workload: RegisteredWorkload): void {
    if (this.fault !== undefined) throw this.fault;
    this.puts++;
    this.entries.set(`${workload.namespace}/${workload.name}`, workload);
  }
  entry(namespace: string, name: string): WrittenEntryFacts | undefined {
    return namespace === "shop" && name === "vm-1" ? this.written : undefined;
  }
  report(namespace: string, name: string, health: string, change: string): void {
    this.reports.push(`${namespace}/${name} ${health} ${change}`);
  }
  remove(namespace: string, name: string): void {
    this.reports.push(`${namespace}/${name} forgotten`);
    this.entries.delete(`${namespace}/${name}`);
  }
}

const graceMs = 10_000;

function rig({ autoRegistration = true, healthChecks = true, identityCheck = false } = {}) {
  const clock = new FakeClock();
  const store = new MapStore();
  const events: RegistrationEvent[] = [];
  const onEvent = (event: RegistrationEvent) => events.push(event);
  const checks = { autoRegistration, healthChecks, identityCheck };
  const registry = new WorkloadRegistry({ store, clock, graceMs, ...checks, onEvent });
  return { clock, store, registry, events };
}

/** A new stream of the same machine: another proxy object. */
function machine(more: Partial<Proxy> = {}): Proxy {
  const proxy = proxyWithName("sidecar~10.0.0.9~vm-1.shop~shop.svc.cluster.local");
  return { ...proxy, labels: { app: "billing" }, metadata: { AUTO_REGISTER_GROUP: "billing" }, ...more };
}

/** The machine of an entry that a person wrote. */
function written(more: Partial<Proxy> = {}): Proxy {
  return machine({ metadata: { WORKLOAD_ENTRY: "vm-1" }, ...more });
}

const key = "shop/billing-10.0.0.9";

describe("a machine that names its group", () => {
  test("gets an entry while it is connected, and for the grace period after that", () => {
    const { clock, store, registry, events } = rig();
    const proxy = machine();
    expect(registry.arrived(proxy)).toBeUndefined();
    expect(store.entries.get(key)).toMatchObject({ address: "10.0.0.9", group: "billing", labels: { app: "billing" } });
    registry.left(proxy);
    clock.advance(graceMs - 1);
    expect(store.entries.has(key)).toBe(true);
    clock.advance(1);
    expect(store.entries.has(key)).toBe(false);
    expect(events).toEqual(["registered", "unregistered", "deleted"]);
  });

  test("gets an entry with its address, network and locality", () => {
    const { store, registry } = rig();
    const locality = { region: "eu", zone: "eu-1", subzone: "" };
    registry.arrived(machine({ ipAddresses: ["10.0.0.9", "fd00::9"], network: "east", locality }));
    expect(store.entries.get("shop/billing-10.0.0.9-east")).toMatchObject({
      address: "10.0.0.9",
      network: "east",
      locality: "eu/eu-1",
    });
  });

  test("keeps its entry when another machine of its group leaves", () => {
    const { clock, store, registry } = rig();
    const other = machine({ ipAddresses: ["10.0.0.8"] });
    registry.arrived(other);
    registry.arrived(machine());
    registry.left(other);
    clock.advance(graceMs);
    expect([...store.entries.keys()]).toEqual([key]);
  });

  test("keeps its entry when it reconnects in time", () => {
    const { clock, store, registry, events } = rig();
    const [first, second] = [machine(), machine()];
    registry.arrived(first);
    registry.left(first);
    clock.advance(graceMs / 2);
    registry.arrived(second);
    clock.advance(10 * graceMs);
    expect(store.entries.has(key)).toBe(true);
    expect(events).toEqual(["registered", "unregistered", "refreshed"]);
  });

  test("keeps its entry when its old stream ends after its new one started", () => {
    const { clock, store, registry, events } = rig();
    const [first, second] = [machine(), machine()];
    registry.arrived(first);
    registry.arrived(second);
    registry.left(first);
    clock.advance(10 * graceMs);
    expect(store.entries.has(key)).toBe(true);
    expect(events).toEqual(["registered", "refreshed"]);
  });

  test("has the whole grace period again after a reconnect", () => {
    const { clock, store, registry } = rig();
    const [first, second] = [machine(), machine()];
    registry.arrived(first);
    registry.left(first);
    clock.advance(graceMs - 2);
    registry.arrived(second);
    clock.advance(1);
    registry.left(second);
    clock.advance(graceMs - 1);
    expect(store.entries.has(key)).toBe(true);
    clock.advance(1);
    expect(store.entries.has(key)).toBe(false);
  });

  test("gets a new entry when it reconnects too late", () => {
    const { clock, store, registry, events } = rig();
    const [first, second] = [machine(), machine()];
    registry.arrived(first);
    registry.left(first);
    clock.advance(graceMs);
    registry.arrived(second);
    expect(store.entries.has(key)).toBe(true);
    expect(events).toEqual(["registered", "unregistered", "deleted", "registered"]);
  });

  test("is refused if its group does not exist", () => {
    const { store, registry, events } = rig();
    store.facts = undefined;
    expect(registry.arrived(machine())).toEqual({
      type: "refused",
      status: GrpcStatus.FAILED_PRECONDITION,
      message: "auto-registration: there is no WorkloadGroup shop/billing",
    });
    expect(events).toEqual(["failed"]);
  });

  test("is refused if its entry would be invalid", () => {
    const { store, registry } = rig();
    store.fault = new Error("a label is too long");
    expect(registry.arrived(machine())).toMatchObject({
      status: GrpcStatus.FAILED_PRECONDITION,
      message: "auto-registration: WorkloadGroup billing: a label is too long",
    });
    expect(store.entries.size).toBe(0);
  });
});

describe("with identity checks", () => {
  const identity = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "billing" };

  test.each([
    ["", "an account"],
    ["billing", "billing"],
  ])(
    "nothing is written for a machine that has proved nothing to a group of the account %j",
    (serviceAccount, name) => {
      const { store, registry } = rig({ identityCheck: true });
      store.facts = { serviceAccount, probed: false };
      expect(registry.arrived(machine())).toMatchObject({
        status: GrpcStatus.PERMISSION_DENIED,
        message: `auto-registration: to join billing, prove over TLS that you are of ${name} in shop`,
      });
      expect(store.entries.size).toBe(0);
    },
  );

  test.each([
    ["", undefined],
    ["billing", undefined],
    ["other", GrpcStatus.PERMISSION_DENIED],
  ])("a group of the account %j is joined with status %s", (serviceAccount, status) => {
    const { store, registry } = rig({ identityCheck: true });
    store.facts = { serviceAccount, probed: false };
    expect(registry.arrived(machine({ identity }))?.status).toBe(status);
  });
});

describe("the health of a machine", () => {
  test("is the last report of its agent: unhealthy with an error, healthy without", () => {
    const { store, registry } = rig();
    const proxy = machine();
    registry.arrived(proxy);
    const health = () => store.entries.get(key)?.health;
    expect(health()).toBe("healthy");
    registry.answer({ client: proxy, error: "connection refused" });
    expect(health()).toBe("unhealthy");
    registry.answer({ client: proxy, error: undefined });
    expect(health()).toBe("healthy");
  });

  test("is written only when it changes", () => {
    const { store, registry } = rig();
    const proxy = machine();
    registry.arrived(proxy);
    registry.answer({ client: proxy, error: undefined });
    expect(store.puts).toBe(1);
    for (const error of ["refused", "refused again"]) registry.answer({ client: proxy, error });
    expect(store.puts).toBe(2);
  });

  test("is unhealthy until the first report, if its group has a probe", () => {
    const { store, registry } = rig();
    store.facts = { serviceAccount: "", probed: true };
    const proxy = machine();
    registry.arrived(proxy);
    expect(store.entries.get(key)?.health).toBe("unhealthy");
    registry.answer({ client: proxy, error: undefined });
    expect(store.entries.get(key)?.health).toBe("healthy");
  });

  test("survives a reconnect, and reports of an older stream are ignored", () => {
    const { store, registry } = rig();
    const [first, second] = [machine(), machine()];
    registry.arrived(first);
    registry.answer({ client: first, error: "ill" });
    registry.arrived(second);
    expect(store.entries.get(key)?.health).toBe("unhealthy");
    registry.answer({ client: first, error: undefined });
    expect(store.entries.get(key)?.health).toBe("unhealthy");
  });

  test("is ignored without health checks, and for proxies that did not register", () => {
    const { store, registry } = rig({ healthChecks: false });
    store.facts = { serviceAccount: "", probed: true };
    const proxy = machine();
    registry.arrived(proxy);
    registry.answer({ client: proxy, error: "ill" });
    registry.answer({ client: machine({ metadata: {} }), error: "ill" });
    expect(store.entries.get(key)?.health).toBe("healthy");
  });

  test("is not accepted from a proxy that did not register", () => {
    const { store, registry } = rig();
    registry.answer({ client: machine(), error: "ill" });
    expect(store.puts).toBe(0);
  });

  test("arrives in messages of one type", () => {
    const { registry } = rig();
    expect(healthType).toBe("type.googleapis.com/istio.v1.HealthInformation");
    expect(
      [healthType, "type.googleapis.com/envoy.config.cluster.v3.Cluster"].map((type) => registry.handles(type)),
    ).toEqual([true, false]);
  });
});

describe("the machine of an entry that a person wrote", () => {
  test("is unhealthy until its agent reports health, and its reports are kept", () => {
    const { store, registry, events } = rig();
    const proxy = written();
    expect(registry.arrived(proxy)).toBeUndefined();
    for (const error of [undefined, undefined, "refused", "refused"]) registry.answer({ client: proxy, error });
    expect(store.reports).toEqual([
      "shop/vm-1 unhealthy connected",
      "shop/vm-1 healthy reported",
      "shop/vm-1 unhealthy reported",
    ]);
    expect([store.entries.size, events]).toEqual([0, []]);
  });

  test("has no reported health after the grace period, unless it comes back", () => {
    const { clock, store, registry } = rig();
    const [first, second] = [written(), written()];
    registry.arrived(first);
    registry.answer({ client: first, error: undefined });
    registry.left(first);
    clock.advance(graceMs - 1);
    registry.arrived(second);
    clock.advance(graceMs);
    expect(store.reports.slice(2)).toEqual(["shop/vm-1 healthy connected"]);
    registry.left(second);
    clock.advance(graceMs);
    expect(store.reports.slice(3)).toEqual(["shop/vm-1 forgotten"]);
  });

  test("is refused if the entry does not exist", () => {
    const { store, registry } = rig();
    store.written = undefined;
    expect(registry.arrived(written())).toEqual({
      type: "refused",
      status: GrpcStatus.FAILED_PRECONDITION,
      message: "health checks: there is no WorkloadEntry shop/vm-1",
    });
  });

  test.each([
    ["the entry does not ask for checks", { serviceAccount: "", checked: false }, {}],
    ["health is not checked", { serviceAccount: "", checked: true }, { healthChecks: false }],
  ])("reports nothing if %s", (_why, facts, settings) => {
    const { store, registry } = rig(settings);
    store.written = facts;
    const proxy = written();
    expect(registry.arrived(proxy)).toBeUndefined();
    registry.answer({ client: proxy, error: "ill" });
    expect(store.reports).toEqual([]);
  });

  test.each([
    ["vm", undefined],
    ["other", GrpcStatus.PERMISSION_DENIED],
  ])("with the account vm gets status %2$s for an entry of the account %1$s", (serviceAccount, status) => {
    const { store, registry } = rig({ identityCheck: true });
    store.written = { serviceAccount, checked: true };
    const identity = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "vm" };
    expect(registry.arrived(written({ identity }))?.status).toBe(status);
    expect(store.reports).toHaveLength(status === undefined ? 1 : 0);
  });

  test("is that of the named entry, also if machines may not register themselves", () => {
    const { store, registry } = rig({ autoRegistration: false });
    registry.arrived(written({ metadata: { AUTO_REGISTER_GROUP: "billing", WORKLOAD_ENTRY: "vm-1" } }));
    expect([store.reports, store.puts]).toEqual([["shop/vm-1 unhealthy connected"], 0]);
  });
});

test("a proxy without a group is not registered", () => {
  const { store, registry, events } = rig();
  const proxy = machine({ metadata: {} });
  expect(registry.arrived(proxy)).toBeUndefined();
  registry.left(proxy);
  expect([store.entries.size, events]).toEqual([0, []]);
});

test.each([
  [{ ipAddresses: ["10.0.0.9"], network: "" }, "billing-10.0.0.9"],
  [{ ipAddresses: ["10.0.0.9"], network: "east" }, "billing-10.0.0.9-east"],
  [{ ipAddresses: ["2001:db8::1"], network: "" }, "billing-2001-db8--1"],
])("the entry of %o is named %s", (proxy, name) => {
  expect(entryName("billing", proxy)).toBe(name);
});

test.each([
  ["g".repeat(300), `${"g".repeat(244)}-10.0.0.9`],
  [`a-${"g".repeat(243)}`, `${"g".repeat(243)}-10.0.0.9`],
])("the name of an entry of group %s keeps its end when it is too long, from its first letter on", (group, name) => {
  expect(entryName(group, { ipAddresses: ["10.0.0.9"], network: "" })).toBe(name);
});
