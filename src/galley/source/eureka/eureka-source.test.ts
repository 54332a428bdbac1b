import { afterEach, expect, test } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { MemoryEureka } from "../../../testing/server/memory-eureka.ts";
import { defaultRetention } from "../registry/registry-state.ts";
import type { EurekaSourceOptions } from "./eureka-session.ts";
import { createEurekaSource } from "./eureka-source.ts";
import { defaultServiceSettings } from "./services-of.ts";

const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function rig(servers: readonly MemoryEureka[], more: Partial<EurekaSourceOptions> = {}) {
  const clock = new FakeClock();
  const heard = new SourceRecorder();
  const source = createEurekaSource({
    ...defaultServiceSettings,
    ...defaultRetention,
    name: "eureka+http://memory/eureka",
    servers,
    clock,
    refreshMs: 30_000,
    deltas: true,
    maxDrop: 0.5,
    dropGraceMs: 90_000,
    ...more,
  });
  stops.push(() => source.stop());
  await source.start(heard.handler);
  await source.idle();
  const tick = async (ms = 30_000) => {
    clock.advance(ms);
    await source.idle();
  };
  const addresses = (name: string) => {
    const config = heard.config(collection, `eureka/${name}`);
    // It says ServiceEntries only.
    return config && (config.spec as ServiceEntry).endpoints.map(({ address }) => address);
  };
  const said = () => heard.events.map(({ type }) => type);
  return { clock, heard, source, tick, addresses, said };
}

function cart(id: number, more: { readonly status?: string } = {}) {
  return { app: "CART", instanceId: `cart-${id}`, ipAddr: `10.0.0.${id}`, ...more };
}

test("the source fetches everything at the start, then deltas in every period", async () => {
  const server = new MemoryEureka();
  server.register(cart(1));
  const { tick, addresses, said } = await rig([server]);
  expect(said()).toEqual(["upserted", "fullSync"]);
  server.register(cart(2));
  await tick(29_999);
  expect(addresses("cart")).toEqual(["10.0.0.1"]);
  await tick(1);
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(server.asked).toEqual(["all", "changes"]);
});

test("answers without changes produce no events", async () => {
  const server = new MemoryEureka();
  server.register(cart(1));
  const { heard, tick } = await rig([server]);
  const before = heard.calls.length;
  server.register(cart(1));
  await tick();
  server.loses = true;
  server.register(cart(1));
  await tick();
  expect(heard.calls).toHaveLength(before);
});

test("an empty registry also syncs", async () => {
  const { said } = await rig([new MemoryEureka()]);
  expect(said()).toEqual(["fullSync"]);
});

test("an instance out of service is no endpoint until it is back in service", async () => {
  const server = new MemoryEureka();
  server.register(cart(1));
  server.register(cart(2));
  const { tick, addresses } = await rig([server]);
  server.register(cart(1, { status: "OUT_OF_SERVICE" }));
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.2"]);
  server.register(cart(1));
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
});

test("a hash code mismatch leads to a full fetch", async () => {
  const server = new MemoryEureka();
  server.register(cart(1));
  const { tick, addresses } = await rig([server]);
  server.loses = true;
  server.register(cart(2));
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(server.asked).toEqual(["all", "changes", "all"]);
});

test("a server without deltas receives full requests each time", async () => {
  const server = new MemoryEureka();
  server.hasChanges = false;
  const { tick, addresses } = await rig([server]);
  server.register(cart(1));
  await tick();
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1"]);
  expect(server.asked).toEqual(["all", "all", "all"]);
});

test("an unanswered request changes nothing, and the source is stale until a server answers", async () => {
  const server = new MemoryEureka();
  server.register(cart(1));
  const { heard, tick, addresses, said } = await rig([server]);
  server.failure = "refused";
  await tick();
  expect(heard.events.at(-1)).toEqual({ type: "stale", reason: "refused" });
  await tick(1_000);
  await tick(2_000);
  expect(said()).toEqual(["upserted", "fullSync", "stale"]);
  server.failure = undefined;
  server.register(cart(2));
  await tick(4_000);
  expect(said()).toEqual(["upserted", "fullSync", "stale", "upserted", "fresh"]);
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
});

test("a source with all servers down starts stale, and syncs when one is up", async () => {
  const servers = [new MemoryEureka("one"), new MemoryEureka("two")];
  for (const server of servers) server.failure = `${server.url} is down`;
  const { heard, tick, said } = await rig(servers);
  expect(heard.events).toEqual([{ type: "stale", reason: "one is down; two is down" }]);
  for (const server of servers) server.failure = undefined;
  await tick(1_000);
  expect(said()).toEqual(["stale", "fullSync", "fresh"]);
});

test("replicas are tried in turn, and the next one receives a full request", async () => {
  const [one, two] = [new MemoryEureka("one"), new MemoryEureka("two")];
  one.register(cart(1));
  two.register(cart(1));
  const { heard, tick, addresses, said } = await rig([one, two]);
  one.failure = "one is down";
  two.register(cart(2));
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(two.asked).toEqual(["all"]);
  await tick();
  expect(two.asked).toEqual(["all", "changes"]);
  expect(said()).not.toContain("stale");
  expect(heard.allIssues).toEqual([]);
});

test("a restarted server empties nothing before its clients can register again", async () => {
  const server = new MemoryEureka();
  for (const id of [1, 2, 3]) server.register(cart(id));
  const { heard, tick, addresses } = await rig([server]);
  server.forget();
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
  expect(heard.allIssues).toMatchObject([{ code: "many-missing", message: expect.stringContaining("3 instances") }]);
  server.register(cart(1));
  server.register(cart(2));
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
  await tick(60_000);
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(heard.allIssues).toEqual([]);
});

test("a large deletion takes effect once a full fetch confirms it", async () => {
  const server = new MemoryEureka();
  for (const id of [1, 2, 3]) server.register(cart(id));
  const { tick, addresses } = await rig([server]);
  for (const id of [1, 2, 3]) server.deregister("CART", `cart-${id}`);
  await tick();
  expect(addresses("cart")).toEqual([]);
  expect(server.asked).toEqual(["all", "changes", "all"]);
});

test("an instance that cannot be an endpoint is named with its application", async () => {
  const server = new MemoryEureka();
  server.register({ ...cart(1), ipAddr: "nowhere!" });
  const { heard } = await rig([server]);
  expect(heard.allIssues).toMatchObject([
    { object: "ServiceEntry eureka/cart", message: expect.stringContaining("instance cart-1 is at") },
  ]);
});

test("a reload does not wait for the period, and postpones the next poll", async () => {
  const server = new MemoryEureka();
  const { clock, source, addresses } = await rig([server]);
  server.register(cart(1));
  await source.reload();
  expect(addresses("cart")).toEqual(["10.0.0.1"]);
  expect(clock.pending).toBe(1);
});

test("no poll follows a stop", async () => {
  const { clock, source } = await rig([new MemoryEureka()]);
  await source.stop();
  expect(clock.pending).toBe(0);
});
