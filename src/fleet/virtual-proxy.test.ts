import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { httpChain } from "../testing/envoy/toy-envoy-config.ts";
import { createNameSections } from "./ads-requests.ts";
import { ResourcePool } from "./resource-pool.ts";
import { type FleetResourceType, resourceTypeOf, typeUrls } from "./fleet-resource-type.ts";
import { type StreamMode, readResponse } from "./response.ts";
import { VirtualProxy, type VirtualProxyOptions } from "./virtual-proxy.ts";

/** Another timeout makes another version of the cluster. */
function cluster(name: string, timeoutSeconds = 1) {
  const clusterDiscoveryType = { case: "type" as const, value: Cluster_DiscoveryType.EDS };
  return packed(ClusterSchema, { name, clusterDiscoveryType, connectTimeout: { seconds: BigInt(timeoutSeconds) } });
}

function endpoints(clusterName: string) {
  return packed(ClusterLoadAssignmentSchema, { clusterName });
}

function listener(name: string, routes: string) {
  return packed(ListenerSchema, { name, filterChains: [httpChain(routes)] });
}

function routes(name: string, ...clusters: readonly string[]) {
  return packed(RouteConfigurationSchema, { name, virtualHosts: [{ name, routes: clusters.map(routeTo) }] });
}

/** A route configuration whose virtual hosts are resources. */
function shell(name: string) {
  return packed(RouteConfigurationSchema, { name, vhds: {} });
}

function host(name: string, ...clusters: readonly string[]) {
  return packed(VirtualHostSchema, { name, routes: clusters.map(routeTo) });
}

function routeTo(value: string) {
  const clusterSpecifier = { case: "cluster" as const, value };
  return { action: { case: "route" as const, value: { clusterSpecifier } } };
}

function packed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) {
  return anyPack(schema, create(schema, init));
}

function rig(mode: StreamMode, options: Partial<VirtualProxyOptions> = {}) {
  const pool = new ResourcePool();
  const events: string[] = [];
  let sent: string[] = [];
  let nonce = 0;
  let time = 0;
  const proxy = new VirtualProxy({
    node: { id: "sidecar~10.0.0.1~a.b~b.svc.cluster.local", cluster: "a", metadata: {} },
    mode,
    targets: undefined,
    rejects: false,
    reportsErrors: true,
    pool,
    nameSections: createNameSections(),
    now: () => time,
    observer: {
      received: () => undefined,
      accepted: () => undefined,
      rejected: ({ type }) => events.push(`rejected ${type}`),
      changed: ({ type, name }) => events.push(`changed ${type} ${name}`),
      synced: (occasion) => events.push(occasion),
      needless: ({ type }) => events.push(`needless ${type}`),
      broken: (sentence) => events.push(sentence),
    },
    ...options,
  });
  return {
    proxy,
    /** The requests since the last call: `EDS a b`, with their nonce: `(1) CDS`. */
    says: () => {
      const said = sent;
      sent = [];
      return said;
    },
    events,
    later: (ms: number) => {
      time += ms;
    },
    connect: () => proxy.connect((bytes) => sent.push(mode === "sotw" ? sotwText(bytes) : deltaText(bytes))),
    send: (type: FleetResourceType, resources: readonly Any[], removed: readonly string[] = []) => {
      nonce++;
      const head = { typeUrl: typeUrls[type], nonce: String(nonce) };
      const bytes =
        mode === "sotw"
          ? encoded(DiscoveryResponseSchema, { ...head, resources: [...resources] })
          : encoded(DeltaDiscoveryResponseSchema, {
              ...head,
              resources: resources.map((resource) => ({ version: "1", resource })),
              removedResources: [...removed],
            });
      const response = readResponse(mode, bytes, pool);
      if (response !== undefined) proxy.receive(response);
    },
  };
}

function encoded<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Uint8Array {
  return toBinary(schema, create(schema, init));
}

function sotwText(bytes: Uint8Array): string {
  const request = fromBinary(DiscoveryRequestSchema, bytes);
  const { typeUrl, responseNonce, resourceNames, errorDetail } = request;
  const verb = errorDetail === undefined ? (responseNonce === "" ? "" : `(${responseNonce}) `) : "NACK ";
  return `${verb}${[resourceTypeOf(typeUrl), ...resourceNames].join(" ")}`;
}

function deltaText(bytes: Uint8Array): string {
  const request = fromBinary(DeltaDiscoveryRequestSchema, bytes);
  const { typeUrl, responseNonce, resourceNamesSubscribe, resourceNamesUnsubscribe, initialResourceVersions } = request;
  const held = Object.keys(initialResourceVersions).map((name) => `=${name}`);
  const names = [
    ...resourceNamesSubscribe.map((name) => `+${name}`),
    ...resourceNamesUnsubscribe.map((name) => `-${name}`),
  ];
  const nonce = responseNonce === "" ? "" : `(${responseNonce}) `;
  return `${nonce}${[resourceTypeOf(typeUrl), ...names, ...held].join(" ")}`;
}

/** A proxy that has a cluster, a listener and its routes. */
function synced(mode: StreamMode, options: Partial<VirtualProxyOptions> = {}) {
  const one = rig(mode, options);
  one.connect();
  one.send("CDS", [cluster("a")]);
  one.send("EDS", [endpoints("a")]);
  one.send("LDS", [listener("l", "r")]);
  one.send("RDS", [routes("r", "a")]);
  expect(one.events.splice(0)).toEqual(["first"]);
  one.says();
  return one;
}

describe("a virtual Envoy", () => {
  test("requests clusters, their endpoints, listeners and their routes, and then is in sync", () => {
    const { connect, send, says, events, proxy } = rig("sotw");
    connect();
    expect(says()).toEqual(["CDS"]);
    send("CDS", [cluster("a")]);
    expect(says()).toEqual(["EDS a"]);
    send("EDS", [endpoints("a")]);
    expect(says()).toEqual(["(2) EDS a", "(1) CDS", "LDS"]);
    send("LDS", [listener("l", "r")]);
    expect(says()).toEqual(["(3) LDS", "RDS r"]);
    expect(proxy.synced).toBe(false);
    send("RDS", [routes("r", "a")]);
    expect([proxy.synced, events]).toEqual([true, ["first"]]);
  });

  test("withholds the acknowledgement of a changed cluster until its endpoints arrive again", () => {
    const { send, says } = synced("sotw");
    send("CDS", [cluster("a", 2)]);
    expect(says()).toEqual(["(2) EDS a"]);
    send("EDS", [endpoints("a")]);
    expect(says()).toEqual(["(6) EDS a", "(5) CDS"]);
  });

  test("reconnects with the versions that it holds", () => {
    const { connect, says, proxy } = synced("delta");
    proxy.disconnect();
    connect();
    expect(says()).toEqual(["CDS =a", "EDS +a =a", "LDS =l", "RDS +r =r"]);
  });

  test("requests virtual hosts once per stream if they are resources, and waits for them", () => {
    const { connect, send, says, events, proxy } = rig("delta");
    connect();
    send("CDS", [cluster("a")]);
    send("EDS", [endpoints("a")]);
    send("LDS", [listener("l", "r")]);
    says();
    send("RDS", [shell("r")]);
    expect([says(), proxy.synced]).toEqual([["(4) RDS", "VHDS"], false]);
    send("VHDS", [host("r/h", "a"), host("r/other", "missing")]);
    expect([says(), proxy.synced, proxy.dangling]).toEqual([["(5) VHDS"], true, 1]);
    send("RDS", [shell("r")]);
    send("VHDS", [], ["r/other"]);
    expect([says(), proxy.dangling]).toEqual([["(6) RDS", "(7) VHDS"], 0]);
    proxy.disconnect();
    connect();
    expect(says()).toEqual(["CDS =a", "EDS +a =a", "LDS =l", "RDS +r =r", "VHDS =r/h"]);
    expect(events).toContain("first");
  });

  test("reports responses with nothing new, unless its clusters warm", () => {
    const { send, events } = synced("delta");
    send("EDS", [endpoints("a")]);
    send("RDS", [routes("r", "a")]);
    expect(events.splice(0)).toEqual(["needless EDS", "needless RDS"]);
    send("CDS", [cluster("a", 2)]);
    send("EDS", [endpoints("a")]);
    expect(events).toEqual(["changed CDS a"]);
  });

  test("accepts repeated endpoints after its own late acknowledgement, and nothing else", () => {
    const { connect, send, events, later } = rig("delta");
    connect();
    send("CDS", [cluster("a")]);
    later(20_000);
    for (let time = 0; time < 3; time++) send("EDS", [endpoints("a")]);
    expect(events).toEqual([]);
    send("LDS", [listener("l", "r")]);
    send("RDS", [routes("r", "a")]);
    send("EDS", [endpoints("a")]);
    expect(events).toEqual(["first", "needless EDS"]);
  });

  test.each(["sotw", "delta"] as const)("reports routes that arrive before their cluster is warm, %s", (mode) => {
    const { send, events, later } = synced(mode);
    send("CDS", [cluster("a"), cluster("b")]);
    send("RDS", [routes("r", "b")]);
    later(10);
    send("EDS", [endpoints("b")]);
    expect(events).toContain("RDS r came before cluster b");
  });

  test("reports a cluster that is removed before the routes that name it", () => {
    const { send, events, proxy } = synced("delta");
    send("CDS", [], ["a"]);
    expect([proxy.dangling, events.splice(0)]).toEqual([1, []]);
    send("RDS", [routes("r")]);
    expect(events).toContain("RDS r outlived cluster a");
    expect(proxy.dangling).toBe(0);
  });

  test("treats a reference that stays unresolved as a configuration error", () => {
    const { send, events, later, proxy } = synced("delta");
    send("RDS", [routes("r", "nobody")]);
    later(10_000);
    expect(proxy.dangling).toBe(1);
    send("RDS", [routes("r", "a")]);
    expect(events.filter((event) => event.includes("nobody"))).toEqual([]);
  });

  test("rejects every third change with the option", () => {
    const { send, events } = synced("sotw", { rejects: true, reportsErrors: false });
    for (const time of [2, 3, 4]) {
      send("CDS", [cluster("a", time)]);
      send("EDS", [endpoints("a")]);
    }
    expect(events).toEqual(["changed CDS a", "changed CDS a", "rejected CDS"]);
  });
});

test("a virtual Envoy waits 15 s for endpoints, and asks for clusters when it reconnects after that", () => {
  const { connect, proxy, send, says, later } = rig("delta");
  connect();
  send("CDS", [cluster("a")]);
  says();
  for (const [ms, expected] of [
    [14_000, /^EDS/],
    [2_000, /^CDS/],
  ] as const) {
    later(ms);
    proxy.disconnect();
    connect();
    expect(says()[0]).toMatch(expected);
  }
});

describe("a virtual gRPC client", () => {
  test("follows names from its listener to its endpoints", () => {
    const { connect, send, says, events } = rig("sotw", { targets: ["one:80"] });
    connect();
    expect(says()).toEqual(["LDS one:80"]);
    send("LDS", [listener("one:80", "one")]);
    expect(says()).toEqual(["(1) LDS one:80", "RDS one"]);
    send("RDS", [routes("one", "a")]);
    expect(says()).toEqual(["(2) RDS one", "CDS a"]);
    send("CDS", [cluster("a")]);
    expect(says()).toEqual(["(3) CDS a", "EDS a"]);
    send("EDS", [endpoints("a")]);
    expect(events.splice(0)).toEqual(["first"]);
    send("CDS", [cluster("a", 2)]);
    send("EDS", [endpoints("a")]);
    expect(events.splice(0)).toEqual(["changed CDS a"]);
    send("EDS", [endpoints("a")]);
    expect(events).toEqual(["needless EDS"]);
  });

  test("is in sync after a reconnect when each of its requests is answered once", () => {
    const { connect, send, says, proxy } = rig("sotw", { targets: ["one:80"] });
    const answers = [
      ["LDS", listener("one:80", "one")],
      ["RDS", routes("one", "a")],
      ["CDS", cluster("a")],
      ["EDS", endpoints("a")],
    ] as const;
    connect();
    for (const [type, resource] of answers) send(type, [resource]);
    proxy.disconnect();
    says();
    connect();
    expect(says()).toEqual(["LDS one:80", "RDS one", "CDS a", "EDS a"]);
    for (const [type, resource] of answers) {
      expect(proxy.synced).toBe(false);
      send(type, [resource]);
    }
    expect(proxy.synced).toBe(true);
  });
});
