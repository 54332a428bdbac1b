import { expect, test } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import type { RegistryService } from "./registry-service.ts";
import { defaultRetention, type RegistryPart, RegistryState, type Retention } from "./registry-state.ts";

const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";
const day = defaultRetention.zombieTtlMs;

function rig(retention: Partial<Retention> = {}) {
  const clock = new FakeClock();
  const heard = new SourceRecorder();
  const state = new RegistryState({ ...defaultRetention, ...retention, source: "test", clock, emit: heard.handler });
  const addresses = (key: string) => {
    const config = heard.config(collection, key);
    // The state says ServiceEntries only.
    return config && (config.spec as ServiceEntry).endpoints.map(({ address }) => address);
  };
  return { clock, heard, state, addresses };
}

function service(name: string, ...addresses: readonly string[]): RegistryService {
  const instances = addresses.map((address) => ({
    id: address,
    address,
    ports: [{ number: 80, protocol: "HTTP" }],
    labels: {},
  }));
  return { name, namespace: "shop", hostname: `${name}.shop`, reference: name, instances };
}

function parts(...named: readonly (readonly [string, ...RegistryService[]])[]): ReadonlyMap<string, RegistryPart> {
  return new Map(named.map(([name, ...services]) => [name, { services }]));
}

test("new and changed services are reported as one list; equal content gives no events", () => {
  const { heard, state, addresses } = rig();
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")], ["b", service("pay", "10.0.0.2", "10.0.0.3")]));
  expect(heard.calls).toHaveLength(1);
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")], ["b", service("pay", "10.0.0.3", "10.0.0.2")]));
  expect(heard.calls).toHaveLength(1);
  state.update(parts(["a", service("cart", "10.0.0.9")]));
  expect(heard.calls).toHaveLength(2);
  expect(addresses("shop/cart")).toEqual(["10.0.0.9"]);
  expect(addresses("shop/pay")).toEqual(["10.0.0.2", "10.0.0.3"]);
});

test("unmentioned parts stay unchanged", () => {
  const { state, addresses } = rig();
  state.update(parts(["a", service("cart", "10.0.0.1")]));
  state.update(parts(["b", service("pay", "10.0.0.2")]));
  expect(addresses("shop/cart")).toEqual(["10.0.0.1"]);
  expect([...state.parts]).toEqual(["a", "b"]);
});

test("a removed service stays without endpoints for a day, then it goes", () => {
  const { clock, heard, state, addresses } = rig();
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")]));
  state.replaceAll(parts());
  expect(addresses("shop/cart")).toEqual([]);
  clock.advance(day - 1);
  expect(addresses("shop/cart")).toEqual([]);
  clock.advance(1);
  expect(heard.names).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("a service that returns in time is not swept", () => {
  const { clock, state, addresses } = rig();
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")], ["b", service("pay", "10.0.0.2")]));
  state.replaceAll(parts());
  clock.advance(day / 2);
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")]));
  clock.advance(day / 2);
  expect(addresses("shop/cart")).toEqual(["10.0.0.1"]);
  expect(addresses("shop/pay")).toBeUndefined();
});

test("with deleteMode delete a removed service goes at once", () => {
  const { heard, state } = rig({ deleteMode: "delete" });
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")]));
  state.replaceAll(parts());
  expect(heard.names).toEqual([]);
});

test("a service that is listed without instances keeps its ports, and is never swept", () => {
  const { clock, heard, state, addresses } = rig({ deleteMode: "delete" });
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")]));
  state.replaceAll(parts(["a", service("cart")]));
  clock.advance(2 * day);
  expect(addresses("shop/cart")).toEqual([]);
  expect(heard.config(collection, "shop/cart")?.spec).toMatchObject({ ports: [{ number: 80 }] });
});

test("a service is not reported before its ports are known", () => {
  const { heard, state } = rig();
  state.replaceAll(parts(["a", service("cart")]));
  expect(heard.calls).toEqual([]);
});

test("with empty protection the last endpoints stay", () => {
  const { clock, heard, state, addresses } = rig({ emptyProtection: true });
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")], ["b", service("pay", "10.0.0.2")]));
  state.replaceAll(parts(["a", service("cart")]));
  expect(addresses("shop/cart")).toEqual(["10.0.0.1"]);
  expect(addresses("shop/pay")).toEqual(["10.0.0.2"]);
  expect(heard.calls).toHaveLength(1);
  clock.advance(day);
  expect(heard.names).toEqual(["cart"]);
});

test("a service that becomes invalid keeps its last good version, with an issue", () => {
  const { heard, state, addresses } = rig();
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")]));
  state.replaceAll(parts(["a", { ...service("cart", "10.0.0.2"), hostname: "a:b" }]));
  expect(addresses("shop/cart")).toEqual(["10.0.0.1"]);
  expect(heard.allIssues).toMatchObject([{ code: "bad-host", object: "ServiceEntry shop/cart" }]);
  state.replaceAll(parts(["a", service("cart", "10.0.0.2")]));
  expect(addresses("shop/cart")).toEqual(["10.0.0.2"]);
  expect(heard.allIssues).toEqual([]);
});

test("problems of a listing are issues of its part, until they are resolved or the part is gone", () => {
  const { heard, state } = rig();
  const issue = {
    severity: "warning",
    code: "bad-instance",
    object: "",
    path: "",
    message: "?",
    place: undefined,
  } as const;
  state.update(new Map([["a", { services: [], issues: [issue] }]]));
  expect(heard.allIssues).toEqual([issue]);
  state.update(new Map([["a", { services: [], issues: [issue] }]]));
  expect(heard.calls).toHaveLength(1);
  state.replaceAll(parts());
  expect(heard.allIssues).toEqual([]);
});

test("of two parts with the same service the first by name wins, and the other takes over when it goes", () => {
  const { heard, state, addresses } = rig();
  state.update(parts(["b", service("cart", "10.0.0.2")]));
  state.update(parts(["a", service("cart", "10.0.0.1")]));
  expect(addresses("shop/cart")).toEqual(["10.0.0.1"]);
  expect(heard.allIssues).toMatchObject([{ message: "a and b define the same service; the one of a is used" }]);
  state.update(parts(["a"]));
  expect(addresses("shop/cart")).toEqual(["10.0.0.2"]);
  expect(heard.allIssues).toEqual([]);
  expect(heard.calls).toHaveLength(3);
});

test("nothing is reported after a close", () => {
  const { clock, heard, state } = rig();
  state.replaceAll(parts(["a", service("cart", "10.0.0.1")]));
  state.replaceAll(parts());
  const before = heard.calls.length;
  state.close();
  clock.advance(2 * day);
  expect(heard.calls).toHaveLength(before);
});
