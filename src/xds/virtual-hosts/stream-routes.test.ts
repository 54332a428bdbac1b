import { describe, expect, test } from "vitest";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { largeRoutes } from "../../testing/envoy/large-routes.ts";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import type { WarmingRules } from "../stream/warming.ts";
import { routeType, virtualHostType } from "../type-urls.ts";
import { minHosts } from "./split-routes.ts";

/** The responses since the last call: `VHDS 20`, `VHDS 0 -1`. */
function news({ observer }: SnapshotRig): readonly string[] {
  return observer.sent
    .splice(0)
    .map(({ type, resources, removed }) => `${type} ${resources}${removed ? ` -${removed}` : ""}`);
}

/** A stream with routes of 20 hosts and a catch-all; everything is acknowledged. */
function connected({ off = {}, splitFrom = minHosts }: { off?: Partial<WarmingRules>; splitFrom?: number } = {}) {
  const rig = new SnapshotRig({ splitFrom, off });
  rig.set({}, [largeRoutes("80", 20)]);
  const { ask } = rig.delta();
  ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
  ask({ typeUrl: routeType, responseNonce: "1" });
  ask({ typeUrl: virtualHostType });
  ask({ typeUrl: virtualHostType, responseNonce: "2" });
  return { rig, ask, first: news(rig) };
}

describe("a client that takes virtual hosts", () => {
  test("gets a shell, and its hosts when it requests them", () => {
    expect(connected().first).toEqual(["RDS 1", "VHDS 20"]);
  });

  test("costs no visit of its hosts if another client of its class has them", async () => {
    const { rig } = connected();
    const visits = await functionCalls(
      (url) => url.endsWith("/virtual-hosts/host-name.ts"),
      () => {
        const { ask } = rig.delta();
        ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
        ask({ typeUrl: routeType, responseNonce: "1" });
        ask({ typeUrl: virtualHostType });
      },
      (name) => name === "routesOfHost",
    );
    expect(news(rig)).toEqual(["RDS 1", "VHDS 20"]);
    expect(visits).toBe(0);
  });

  test("costs no look for its form at an event that leaves its routes as they are", async () => {
    const { rig, ask } = connected();
    rig.set({}, [largeRoutes("80", 20, { h3: "other" })]);
    const looks = await functionCalls(
      (url) => url.endsWith("/virtual-hosts/route-splits.ts"),
      () => ask({ typeUrl: virtualHostType, responseNonce: "3" }),
      (name) => name === "targetFor",
    );
    expect(looks).toBe(0);
  });

  test("gets one host for an edit of one host, and nothing for an edit that changes nothing", () => {
    const { rig } = connected();
    rig.set({}, [largeRoutes("80", 20, { h3: "other" })]);
    expect(news(rig)).toEqual(["VHDS 1"]);
    rig.set({}, [largeRoutes("80", 20, { h3: "other" })]);
    expect(news(rig)).toEqual([]);
  });

  test("gets small routes whole, and keeps them whole when they grow", () => {
    const { rig, ask } = connected();
    rig.set({}, [largeRoutes("80", 20), largeRoutes("81", 2)]);
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["81"] });
    ask({ typeUrl: routeType, responseNonce: "3" });
    rig.set({}, [largeRoutes("80", 20), largeRoutes("81", 100)]);
    expect(news(rig)).toEqual(["RDS 1", "RDS 1"]);
  });

  test("keeps a shell when its routes shrink", () => {
    const { rig } = connected();
    rig.set({}, [largeRoutes("80", 1)]);
    expect(news(rig)).toEqual(["VHDS 0 -19"]);
  });

  test("gets hosts of new routes after the routes, although the hosts could leave before", () => {
    const { rig, ask } = connected();
    rig.set({}, [largeRoutes("80", 20, { "*": "other" }), largeRoutes("81", 20)]);
    // The response with the changed shell is not acknowledged so far: the new routes wait, and so do their hosts.
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["81"] });
    expect(news(rig)).toEqual(["RDS 1"]);
    ask({ typeUrl: routeType, responseNonce: "3" });
    expect(news(rig)).toEqual(["RDS 1", "VHDS 20"]);
  });

  test("gets its hosts again after routes that it requests again", () => {
    const { rig, ask } = connected();
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
    expect(news(rig)).toEqual(["RDS 1", "VHDS 20"]);
  });

  test("is told that new routes have no hosts, if they have none any more when they leave", () => {
    const { rig, ask } = connected();
    rig.set({}, [largeRoutes("80", 20, { "*": "other" }), largeRoutes("81", 20)]);
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["81"] });
    rig.set({}, [largeRoutes("80", 20, { "*": "other" }), largeRoutes("81", 0)]);
    news(rig);
    ask({ typeUrl: routeType, responseNonce: "3" });
    expect(news(rig)).toEqual(["RDS 1", "VHDS 0 -1"]);
  });

  test("loses its hosts when it unsubscribes from all routes, and gets them again when it comes back", () => {
    const { rig, ask } = connected();
    ask({ typeUrl: routeType, resourceNamesUnsubscribe: ["80"] });
    // Without this removal the clusters of the hosts would stay for ever: virtual hosts refer to clusters.
    expect(news(rig)).toEqual(["VHDS 0 -20"]);
    ask({ typeUrl: virtualHostType, responseNonce: "3" });
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
    expect(news(rig)).toEqual(["RDS 1", "VHDS 20"]);
  });

  test("gets its hosts again if it comes back to its routes before it acknowledged the removal of the hosts", () => {
    const { rig, ask } = connected();
    ask({ typeUrl: routeType, resourceNamesUnsubscribe: ["80"] });
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
    ask({ typeUrl: virtualHostType, responseNonce: "3" });
    expect(news(rig)).toEqual(["VHDS 0 -20", "RDS 1", "VHDS 20"]);
  });

  test("loses the hosts of routes that it unsubscribes from", () => {
    const { rig, ask } = connected();
    rig.set({}, [largeRoutes("80", 20), largeRoutes("81", 2)]);
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["81"], resourceNamesUnsubscribe: ["80"] });
    expect(news(rig)).toEqual(["RDS 1", "VHDS 0 -20"]);
  });

  test("that reconnects with everything is sent nothing, in either form", () => {
    const { rig } = connected();
    const held = (typeUrl: string) => {
      const [connection] = rig.server.connections;
      const subscription = connection?.subscriptions.find(({ type }) => type.typeUrl === typeUrl);
      const sets = subscription?.sent ?? [];
      return Object.fromEntries(
        sets.flatMap((set) => Array.from(set, ({ name, version }) => [name, version] as const)),
      );
    };
    const [routes, hosts] = [held(routeType), held(virtualHostType)];
    const { ask } = rig.delta();
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"], initialResourceVersions: routes });
    ask({ typeUrl: virtualHostType, initialResourceVersions: hosts });
    expect(news(rig)).toEqual(["RDS 0", "VHDS 0"]);
    const whole = rig.delta();
    whole.ask({
      typeUrl: routeType,
      resourceNamesSubscribe: ["80"],
      initialResourceVersions: { "80": "of a whole one" },
    });
    rig.set({}, [largeRoutes("80", 20, { h1: "other" })]);
    expect(news(rig).filter((each) => each.startsWith("RDS"))).toEqual(["RDS 1"]);
  });
});

test("a SotW client gets whole routes", () => {
  const rig = new SnapshotRig({ splitFrom: minHosts });
  rig.set({}, [largeRoutes("80", 100)]);
  rig.sotw().ask({ typeUrl: routeType, resourceNames: ["80"] });
  expect(rig.observer.sent[0]?.bytes).toBeGreaterThan(1000);
});

test("an edit encodes one host, however many streams there are", () => {
  const { rig } = connected();
  for (let stream = 0; stream < 20; stream++) {
    const { ask } = rig.delta();
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
    ask({ typeUrl: routeType, responseNonce: "1" });
    ask({ typeUrl: virtualHostType });
    ask({ typeUrl: virtualHostType, responseNonce: "2" });
  }
  rig.set({}, [largeRoutes("80", 20, { h3: "other" })]);
  const sent = [...rig.server.connections].map(
    ({ subscriptions }) => subscriptions.find(({ type }) => type.typeUrl === virtualHostType)?.sent[0],
  );
  expect(new Set(sent).size).toBe(1);
});
