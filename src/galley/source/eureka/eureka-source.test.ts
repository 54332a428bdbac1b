import { afterEach, expect, test } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { MemoryEureka } from "../../../testing/server/memory-eureka.ts";
import { defaultRetention } from "../registry/registry-state.ts";
import { createEurekaSource, type EurekaSourceOptions } from "./eureka-source.ts";
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

test("everything is asked for at once at the start, then what changed, every period", async () => {
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

test("answers that change nothing say nothing", async () => {
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

test("an empty registry is synced, too", async () => {
  const { said } = await rig([new MemoryEureka()]);
  expect(said()).toEqual(["fullSync"]);
});

test("an instance that goes out of service is no endpoint, and one that comes back is", async () => {
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

test("changes that do not lead to the server's hash code make everything be asked for", async () => {
  const server = new MemoryEureka();
  server.register(cart(1));
  const { tick, addresses } = await rig([server]);
  server.loses = true;
  server.register(cart(2));
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(server.asked).toEqual(["all", "changes", "all"]);
});

test("a server that does not tell what changed is asked for everything each time", async () => {
  const server = new MemoryEureka();
  server.hasChanges = false;
  const { tick, addresses } = await rig([server]);
  server.register(cart(1));
  await tick();
  await tick();
  expect(addresses("cart")).toEqual(["10.0.0.1"]);
  expect(server.asked).toEqual(["all", "all", "all"]);
});

test("a server that does not answer changes nothing: the source is stale until one does", async () => {
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

test("a source whose servers are all down starts, is stale, and syncs when one is up", async () => {
  const servers = [new MemoryEureka("one"), new MemoryEureka("two")];
  for (const server of servers) server.failure = `${server.url} is down`;
  const { heard, tick, said } = await rig(servers);
  expect(heard.events).toEqual([{ type: "stale", reason: "one is down; two is down" }]);
  for (const server of servers) server.failure = undefined;
  await tick(1_000);
  expect(said()).toEqual(["stale", "fullSync", "fresh"]);
});

test("replicas are tried in turn, and the next one is asked for everything", async () => {
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

test("a server that was started anew empties nothing before its clients had time to call", async () => {
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

test("many that are said to be gone are, once the whole list says so, too", async () => {
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

test("a look on request does not wait for the period, and puts off the next", async () => {
  const server = new MemoryEureka();
  const { clock, source, addresses } = await rig([server]);
  server.register(cart(1));
  await source.reload();
  expect(addresses("cart")).toEqual(["10.0.0.1"]);
  expect(clock.pending).toBe(1);
});

test("after its stop no look follows", async () => {
  const { clock, source } = await rig([new MemoryEureka()]);
  await source.stop();
  expect(clock.pending).toBe(0);
});
