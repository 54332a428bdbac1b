import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { setOf, toyGenerator } from "../../../testing/envoy/toy-mesh.ts";
import type { Connection } from "../../../xds/connection.ts";
import { ResourceSet } from "../../../xds/resources/resource-set.ts";
import type { Target } from "../../../xds/resources/target.ts";
import type { Watched } from "../../../xds/stream/watch.ts";
import { Subscription } from "../../../xds/subscription/subscription.ts";
import { clusterType, endpointType } from "../../../xds/type-urls.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { distributionOf } from "./distribution.ts";
import { rejectionsAmong } from "./rejections.ts";
import { resourceStatuses } from "./resource-status.ts";

const reviews = configId("Toy", "toy", "reviews");

/** Clusters with these revisions. */
const clusters = (revisions: Readonly<Record<string, number>>): Target => [setOf(clusterType, revisions)];

function versionOf(target: Target, name: string): string | undefined {
  return target.flatMap((set) => set.get(name)?.version ?? []).at(0);
}

/** One type for all, as in a server: what is remembered of it is shared. */
const type = toyGenerator(clusterType);

function subscribed(): Subscription {
  const subscription = new Subscription(type, "sotw");
  subscription.subscribeTo({ wildcard: true });
  return subscription;
}

/** Sends a target. The client sends an ACK, a NACK, or nothing yet. */
function send(subscription: Subscription, target: Target, word: "yes" | "nothing" | { readonly no: string }): void {
  const nonce = `${subscription.computed}`;
  const answer = subscription.due(target, { mayRemove: () => true });
  if (answer === undefined) throw new Error("nothing is due");
  subscription.recordSent(nonce, answer, 0);
  if (word === "yes") subscription.ack(nonce);
  else if (word !== "nothing") subscription.nack(nonce, word.no);
}

/** A connection of which only its node and its subscriptions matter. */
function connectionOf(nodeId: string, ...watched: readonly Watched[]): Connection<Proxy> {
  const subscriptions = watched.map(({ subscription }) => subscription);
  return { client: { nodeId, namespace: "shop" }, watched, subscriptions } as unknown as Connection<Proxy>;
}

function rejecting(nodeId: string, target: Target, no: string): Connection<Proxy> {
  const subscription = subscribed();
  send(subscription, target, { no });
  return connectionOf(nodeId, { subscription, target });
}

describe("the distribution of an object", () => {
  test("names each resource with its version now and the version that the proxy acknowledged", () => {
    const subscription = subscribed();
    const [before, target] = [clusters({ reviews: 1 }), clusters({ reviews: 2 })];
    const resources = () => distributionOf(reviews, [connectionOf("a", { subscription, target })]).proxies;
    const resource = { type: "CDS", name: "reviews", version: versionOf(target, "reviews") };
    expect(resources()).toMatchObject([{ upToDate: false, resources: [{ ...resource, acked: "" }] }]);
    send(subscription, before, "yes");
    const acked = versionOf(before, "reviews");
    expect(resources()).toMatchObject([{ upToDate: false, resources: [{ ...resource, acked }] }]);
    send(subscription, target, "yes");
    expect(resources()).toMatchObject([{ upToDate: true, resources: [{ ...resource, acked: resource.version }] }]);
  });

  test("has no version for a resource that is to be removed", () => {
    const subscription = subscribed();
    send(subscription, clusters({ reviews: 1 }), "yes");
    const { proxies } = distributionOf(reviews, [connectionOf("a", { subscription, target: clusters({}) })]);
    expect(proxies).toMatchObject([{ upToDate: false, resources: [{ name: "reviews", version: "" }] }]);
  });

  test("has every resource that is built from the object", () => {
    const own = [...setOf(clusterType, { v1: 1, v2: 1 })].map((each) => ({ ...each, owners: [reviews] }));
    const target = [ResourceSet.empty.apply({ covers: "all", resources: own })];
    const { proxies } = distributionOf(reviews, [connectionOf("a", { subscription: subscribed(), target })]);
    expect(proxies).toMatchObject([{ resources: [{ name: "v1" }, { name: "v2" }] }]);
  });

  test("is not up to date after a NACK, although the object is unchanged", () => {
    const subscription = subscribed();
    const target = clusters({ reviews: 1 });
    send(subscription, target, "yes");
    send(subscription, clusters({ reviews: 2 }), { no: "bad" });
    const watched = { subscription, target };
    expect(distributionOf(reviews, [connectionOf("a", watched)]).upToDate).toBe(0);
    expect(resourceStatuses(watched)).toMatchObject([{ name: "reviews", status: "NOT SENT" }]);
  });
});

describe("the statuses of resources", () => {
  test("are sorted by name, including resources that are to be removed", () => {
    const subscription = subscribed();
    send(subscription, clusters({ ratings: 1, reviews: 1 }), "yes");
    const statuses = resourceStatuses({ subscription, target: clusters({ reviews: 1 }) });
    expect(statuses.map(({ name }) => name)).toEqual(["ratings", "reviews"]);
  });

  test("cover only the resources that the proxy requests", () => {
    const subscription = new Subscription(toyGenerator(endpointType), "sotw");
    subscription.subscribeTo({ names: new Set(["reviews"]) });
    const target = [setOf(endpointType, { ratings: 1, reviews: 1 })];
    expect(resourceStatuses({ subscription, target }).map(({ name }) => name)).toEqual(["reviews"]);
  });
});

describe("rejections", () => {
  const target = clusters({ ratings: 1, reviews: 1 });

  test("are grouped by message, also for equal resources, and sorted", () => {
    const connections = [
      rejecting("b", target, "reviews is bad"),
      rejecting("c", target, "ratings is bad"),
      rejecting("a", target, "reviews is bad"),
    ];
    expect(rejectionsAmong(connections)).toMatchObject([
      { message: "ratings is bad", resources: ["ratings"], proxies: ["c"] },
      { message: "reviews is bad", resources: ["reviews"], proxies: ["a", "b"] },
    ]);
  });

  test("name the objects of all suspects, sorted", () => {
    const owners = { ratings: [configId("Toy", "toy", "z")], reviews: [configId("Toy", "toy", "a")] };
    const resources = target.flatMap((set) =>
      Array.from(set, (each) => ({ ...each, owners: owners[each.name as keyof typeof owners] })),
    );
    const owned = [ResourceSet.empty.apply({ covers: "all", resources })];
    expect(rejectionsAmong([rejecting("a", owned, "bad")])).toMatchObject([{ objects: ["Toy/toy/a", "Toy/toy/z"] }]);
  });

  test("end when the server no longer has the resource", () => {
    const { client, watched } = rejecting("a", target, "reviews is bad");
    const without = (revisions: Readonly<Record<string, number>>) =>
      watched.map(({ subscription }) => ({ subscription, target: clusters(revisions) }));
    expect(rejectionsAmong([connectionOf(client.nodeId, ...without({ reviews: 1 }))])).toHaveLength(1);
    expect(rejectionsAmong([connectionOf(client.nodeId, ...without({ ratings: 1 }))])).toEqual([]);
  });

  test("are reported even if no sent resource can be the cause", () => {
    expect(rejectionsAmong([rejecting("a", clusters({}), "too late")])).toEqual([
      { type: "CDS", message: "too late", resources: [], objects: [], proxies: ["a"] },
    ]);
  });
});
