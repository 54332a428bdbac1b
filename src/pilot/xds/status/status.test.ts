import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { assert } from "../../../lib/assert.ts";
import { ToyControlPlane, toyEnvoy } from "../../../testing/envoy/toy-control-plane.ts";
import { setOf, toyGenerator } from "../../../testing/envoy/toy-mesh.ts";
import type { Connection } from "../../../xds/connection.ts";
import { envoyResourceTypes } from "../../../xds/resource-type.ts";
import type { Watched } from "../../../xds/stream/watch.ts";
import { Subscription } from "../../../xds/subscription/subscription.ts";
import { clusterType, endpointType, extensionType, secretType } from "../../../xds/type-urls.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { distributionOf } from "./distribution.ts";
import { rejectionsAmong } from "./rejections.ts";
import { resourceStatuses } from "./resource-status.ts";
import { missingNames, syncStatusOf } from "./sync-status.ts";

const reviews = configId("Toy", "toy", "reviews");
const mesh = {
  clusters: new Map([
    ["ratings", 1],
    ["reviews", 1],
  ]),
  endpoints: new Map([
    ["ratings", 1],
    ["reviews", 1],
  ]),
  routes: new Map([["http", ["reviews"]]]),
};
const edited = { clusters: new Map([...mesh.clusters, ["reviews", 2]]) };

/** Two proxies that have everything, of which the second rejects clusters from now on. */
async function twoProxies(mode: "sotw" | "delta" = "sotw") {
  const plane = new ToyControlPlane(mesh);
  const [willing, stubborn] = [toyEnvoy(mode, "shop"), toyEnvoy(mode, "bank")];
  for (const envoy of [willing, stubborn]) plane.connect(envoy);
  await plane.settle(willing, stubborn);
  stubborn.reject = (typeUrl) => typeUrl === clusterType;
  const change = async (edit: Parameters<typeof plane.edit>[0]) => {
    plane.edit(edit);
    await plane.settle(willing, stubborn);
  };
  return { plane, stubborn, change, connections: plane.server.connections };
}

function watched(connections: Iterable<Connection<Proxy>>, namespace: string, typeUrl: string): Watched {
  const connection = [...connections].find(({ client }) => client.namespace === namespace);
  const found = connection?.watched.find(({ subscription }) => subscription.type.typeUrl === typeUrl);
  if (found === undefined) throw new Error(`${namespace} does not watch ${typeUrl}`);
  return found;
}

const statusesOf = (each: Watched) =>
  Object.fromEntries(resourceStatuses(each).map(({ name, status }) => [name, status]));

describe.each(["sotw", "delta"] as const)("the status of proxies, %s", (mode) => {
  test("is SYNCED for an acknowledged type, ERROR for a rejected type, IGNORED for a type never requested", async () => {
    const { change, connections } = await twoProxies(mode);
    await change(edited);
    expect(syncStatusOf(watched(connections, "shop", clusterType).subscription)).toBe("SYNCED");
    expect(syncStatusOf(watched(connections, "bank", clusterType).subscription)).toBe("ERROR");
    expect(syncStatusOf(watched(connections, "bank", endpointType).subscription)).toBe("SYNCED");
    const [first] = connections;
    const extensions = first?.subscriptions.find(({ type }) => type.typeUrl === extensionType);
    expect(syncStatusOf(extensions)).toBe("IGNORED");
  });

  test("is reported per resource: accepted resources stay SYNCED", async () => {
    const { change, connections } = await twoProxies(mode);
    await change(edited);
    expect(statusesOf(watched(connections, "shop", clusterType))).toEqual({ ratings: "SYNCED", reviews: "SYNCED" });
    expect(statusesOf(watched(connections, "bank", clusterType))).toEqual({ ratings: "SYNCED", reviews: "ERROR" });
  });

  test("names the proxies, resources and source objects of a rejection; equal rejections are merged", async () => {
    const { plane, stubborn, change, connections } = await twoProxies(mode);
    const third = toyEnvoy(mode, "bank");
    plane.connect(third);
    await plane.settle(third, stubborn);
    third.reject = stubborn.reject;
    plane.edit(edited);
    await plane.settle(third, stubborn);
    const node = "router~127.0.0.1~gw.bank~bank.svc.cluster.local";
    const rejection = { type: "CDS", message: "rejected by the model", resources: ["reviews"], objects: [reviews] };
    expect(rejectionsAmong(connections)).toEqual([{ ...rejection, proxies: [node] }]);
    stubborn.reject = () => false;
    third.reject = () => false;
    await change({ clusters: new Map([...mesh.clusters, ["reviews", 3]]) });
    await plane.settle(third, stubborn);
    expect(rejectionsAmong(connections)).toEqual([]);
  });

  test("counts the proxies that acknowledged the versions of an object", async () => {
    const { stubborn, change, connections } = await twoProxies(mode);
    expect(distributionOf(reviews, connections)).toMatchObject({ upToDate: 2, proxies: [{}, {}] });
    await change(edited);
    const { upToDate, proxies } = distributionOf(reviews, connections);
    expect(upToDate).toBe(1);
    expect(proxies.map((each) => [each.namespace, each.upToDate])).toEqual([
      ["bank", false],
      ["shop", true],
    ]);
    stubborn.reject = () => false;
    await change({ clusters: new Map([...mesh.clusters, ["reviews", 3]]) });
    expect(distributionOf(reviews, connections).upToDate).toBe(2);
  });

  test("counts proxies that still have a deleted object", async () => {
    const { change, connections } = await twoProxies(mode);
    const without = new Map([["ratings", 1]]);
    await change({ clusters: without, endpoints: without, routes: new Map([["http", ["ratings"]]]) });
    const concerned = distributionOf(reviews, connections).proxies.filter((each) => !each.upToDate);
    expect(concerned.map(({ namespace }) => namespace)).toEqual(["bank"]);
    expect(statusesOf(watched(connections, "bank", clusterType))).toEqual({ ratings: "SYNCED", reviews: "STALE" });
  });

  test("leaves out proxies without resources of the object", async () => {
    const { connections } = await twoProxies(mode);
    expect(distributionOf(configId("Toy", "toy", "elsewhere"), connections)).toEqual({ proxies: [], upToDate: 0 });
  });
});

function subscribed(): Subscription {
  const subscription = new Subscription(toyGenerator(clusterType), "sotw");
  subscription.subscribeTo({ wildcard: true });
  return subscription;
}

describe("a type of a proxy", () => {
  const target = [setOf(clusterType, { reviews: 1 })];
  const send = (subscription: Subscription, nonce: string, to = target) => {
    const answer = subscription.due(to, { mayRemove: () => true });
    if (answer !== undefined) subscription.recordSent(nonce, answer, 0);
  };

  test("is NOT SENT, then STALE until the proxy responds, then SYNCED; a NACK is an ERROR until the next ACK", () => {
    const subscription = subscribed();
    const seen = [syncStatusOf(subscription)];
    send(subscription, "1");
    seen.push(syncStatusOf(subscription));
    subscription.nack("1", "no");
    seen.push(syncStatusOf(subscription));
    send(subscription, "2", [setOf(clusterType, { reviews: 2 })]);
    subscription.ack("2");
    seen.push(syncStatusOf(subscription));
    expect(seen).toEqual(["NOT SENT", "STALE", "ERROR", "SYNCED"]);
  });

  test("has resources that are NOT SENT while they wait for an earlier answer", () => {
    const subscription = subscribed();
    send(subscription, "1");
    const newer = [setOf(clusterType, { ratings: 1, reviews: 1 })];
    expect(statusesOf({ subscription, target: newer })).toEqual({ ratings: "NOT SENT", reviews: "STALE" });
  });

  test.each(["sotw", "delta"] as const)("is NOT SENT while a requested secret does not exist, %s", (mode) => {
    const secrets = envoyResourceTypes.find(({ typeUrl }) => typeUrl === secretType);
    assert(secrets !== undefined, "secrets are a type of Envoy");
    const subscription = new Subscription(secrets, mode);
    subscription.subscribeTo({ names: new Set(["kubernetes://here", "kubernetes://gone"]) });
    const take = (nonce: string, names: Readonly<Record<string, number>>) => {
      send(subscription, nonce, [setOf(secretType, names)]);
      subscription.ack(nonce);
      return [syncStatusOf(subscription), missingNames(subscription)];
    };
    expect(take("1", {})).toEqual(["NOT SENT", ["kubernetes://gone", "kubernetes://here"]]);
    expect(take("2", { "kubernetes://here": 1 })).toEqual(["NOT SENT", ["kubernetes://gone"]]);
    expect(take("3", { "kubernetes://here": 1, "kubernetes://gone": 1 })).toEqual(["SYNCED", []]);
  });

  test("of endpoints is SYNCED without some of them: their absence is a resource, too", () => {
    const subscription = new Subscription(toyGenerator(endpointType), "sotw");
    subscription.subscribeTo({ names: new Set(["gone"]) });
    send(subscription, "1", [setOf(endpointType, {})]);
    subscription.ack("1");
    expect([syncStatusOf(subscription), missingNames(subscription)]).toEqual(["SYNCED", []]);
  });
});
