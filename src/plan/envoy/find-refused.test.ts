import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { BootstrapSchema } from "#gen/envoy/config/bootstrap/v3/bootstrap_pb.js";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { makeResource } from "../../pilot/networking/make-resource.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../xds/type-urls.ts";
import { type AskEnvoy, findRefused } from "./find-refused.ts";
import type { JudgedResource } from "./judged-bootstrap.ts";

function cluster(name: string): JudgedResource {
  const any = anyPack(
    ClusterSchema,
    create(ClusterSchema, { name, clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS } }),
  );
  return { typeUrl: clusterType, resource: makeResource({ name, any: toBinary(AnySchema, any), owners: [] }) };
}

function endpoints(clusterName: string): JudgedResource {
  const any = anyPack(ClusterLoadAssignmentSchema, create(ClusterLoadAssignmentSchema, { clusterName }));
  return {
    typeUrl: endpointType,
    resource: makeResource({ name: clusterName, any: toBinary(AnySchema, any), owners: [] }),
  };
}

/** A listener that takes its routes from a stream. */
function listener(name: string, routes: string): JudgedResource {
  const manager = create(HttpConnectionManagerSchema, {
    routeSpecifier: { case: "rds", value: { routeConfigName: routes } },
  });
  const filter = {
    name: "http",
    configType: { case: "typedConfig", value: anyPack(HttpConnectionManagerSchema, manager) },
  } as const;
  const any = anyPack(ListenerSchema, create(ListenerSchema, { name, filterChains: [{ filters: [filter] }] }));
  return { typeUrl: listenerType, resource: makeResource({ name, any: toBinary(AnySchema, any), owners: [] }) };
}

function routes(name: string): JudgedResource {
  const any = anyPack(RouteConfigurationSchema, create(RouteConfigurationSchema, { name }));
  return { typeUrl: routeType, resource: makeResource({ name, any: toBinary(AnySchema, any), owners: [] }) };
}

const numbers = Array.from({ length: 100 }, (_, index) => index);
const mesh = [
  ...numbers.map((number) => cluster(`c${number}`)),
  ...numbers.map((number) => endpoints(`c${number}`)),
  ...numbers.map((number) => listener(`l${number}`, `r${number}`)),
  ...numbers.map((number) => routes(`r${number}`)),
];

/** Stops at the first name that it does not like, as Envoy does. Names stand in the bytes as they are. */
function envoy(disliked: readonly string[], most = Number.POSITIVE_INFINITY) {
  const asked: Uint8Array[] = [];
  const ask: AskEnvoy = async (bootstrap) => {
    if (asked.length >= most) return { type: "unknown" };
    asked.push(bootstrap);
    const held = heldIn(bootstrap);
    const name = disliked.find((each) => held.has(each));
    return name === undefined ? { type: "accepted" } : { type: "refused", words: `no to ${name}` };
  };
  return { ask, asked };
}

/** The clusters, and in them their endpoints; the listeners, and in them their routes. */
function heldIn(bootstrap: Uint8Array): ReadonlySet<string> {
  const { staticResources } = fromBinary(BootstrapSchema, bootstrap);
  const { clusters = [], listeners = [] } = staticResources ?? {};
  const filters = listeners.flatMap(({ filterChains }) => filterChains.flatMap((chain) => chain.filters));
  const managers = filters.map(({ configType }) => {
    const value = configType.case === "typedConfig" ? configType.value.value : new Uint8Array();
    return fromBinary(HttpConnectionManagerSchema, value).routeSpecifier;
  });
  return new Set([
    ...clusters.map(({ name }) => `CDS ${name}`),
    ...clusters.flatMap(({ name, loadAssignment }) => (loadAssignment === undefined ? [] : [`EDS ${name}`])),
    ...listeners.map(({ name }) => `LDS ${name}`),
    ...managers.flatMap((routes) => (routes.case === "routeConfig" ? [`RDS ${routes.value.name}`] : [])),
  ]);
}

describe("the resources that an Envoy refuses", () => {
  test("are none after one question if it accepts all", async () => {
    const { ask, asked } = envoy([]);
    expect(await findRefused("router~1", mesh, ask)).toEqual({ refused: [], complete: true });
    expect(asked).toHaveLength(1);
    expect(heldIn(asked[0] ?? new Uint8Array()).size).toBe(402 + 2);
  });

  test.each([
    ["CDS c0", clusterType, "c0"],
    ["EDS c99", endpointType, "c99"],
    ["LDS l41", listenerType, "l41"],
    ["RDS r99", routeType, "r99"],
  ])("include the one that it does not like: %s", async (disliked, typeUrl, name) => {
    const { ask, asked } = envoy([disliked]);
    const { refused, complete } = await findRefused("router~1", mesh, ask);
    expect(refused.map((each) => [each.typeUrl, each.resource.name, each.words])).toEqual([
      [typeUrl, name, `no to ${disliked}`],
    ]);
    expect(complete).toBe(true);
    expect(asked.length).toBeLessThan(13);
  });

  test("are several, each with the words about it", async () => {
    const { ask } = envoy(["CDS c7", "EDS c8", "LDS l3"]);
    const { refused, complete } = await findRefused("router~1", mesh, ask);
    expect(refused.map(({ words }) => words)).toEqual(["no to CDS c7", "no to EDS c8", "no to LDS l3"]);
    expect(complete).toBe(true);
  });

  test("may be more after five of them, or after the last question", async () => {
    const many = envoy(numbers.map((number) => `CDS c${number}`));
    expect(await findRefused("router~1", mesh, many.ask)).toMatchObject({ refused: { length: 5 }, complete: false });
    const curt = envoy(["CDS c7"], 4);
    expect(await findRefused("router~1", mesh, curt.ask)).toEqual({ refused: [], complete: false });
  });
});
