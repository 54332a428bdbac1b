import { describe, expect, test } from "vitest";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { fakeBalancer, fakeOutliers, fakePolicy } from "../../../testing/model/fake-traffic-policy.ts";
import { parseLocality } from "../../model/location/locality.ts";
import { type ProxyLocation, unknownLocation } from "../../model/location/proxy-location.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import type { Endpoint, Service } from "../../model/service/service.ts";
import type { LocalityPolicy } from "../../model/traffic/destination-rule.ts";
import { applyLocalityPolicy } from "./apply-locality-policy.ts";
import { groupByLocality } from "./endpoint-group.ts";
import { localityConfigOf, localitySettingOf, relevantLocation } from "./locality-policy.ts";

type Locality = Extract<LocalityPolicy, { readonly type: "locality" }>;

function locality(changes: Partial<Locality> = {}): Locality {
  return { type: "locality", distribute: [], failover: [], failoverPriority: [], ...changes };
}

interface Setting {
  readonly policy?: LocalityPolicy | undefined;
  readonly ejects?: boolean;
  readonly service?: Partial<Service>;
  readonly at?: string;
  readonly labels?: ProxyLocation["labels"];
}

function localitySetting({ policy, ejects = true, service = {} }: Setting) {
  const outlierDetection = ejects ? fakeOutliers() : undefined;
  const policies = fakePolicy({ loadBalancer: fakeBalancer({ localities: policy }), outlierDetection });
  return localitySettingOf(policies, fakeService(service), mesh);
}

function location({ at = "eu/a/1", labels = {} }: Setting): ProxyLocation {
  return { ...unknownLocation, locality: parseLocality(at), labels };
}

/** The placed endpoints: `locality priority weight number`, by group. */
function placed(endpoints: readonly Partial<Endpoint>[], setting: Setting): readonly string[] {
  const groups = groupByLocality(endpoints.map((each) => fakeEndpoint(each)));
  return applyLocalityPolicy(groups, localitySetting(setting), location(setting)).map(
    (group) => `${group.locality} ${group.priority} ${group.weight} ${group.endpoints.length}`,
  );
}

const world = ["eu/a/1", "eu/a/2", "eu/b", "us/c", "cn/d"].map((place) => ({ locality: place }));

describe("failover", () => {
  test("goes from the same subzone to the same zone, to the same region, to other regions", () => {
    expect(placed(world, {})).toEqual(["cn/d 3 1 1", "eu/a/1 0 1 1", "eu/a/2 1 1 1", "eu/b 2 1 1", "us/c 3 1 1"]);
  });

  test("has no gaps between priorities, or clients would reject it", () => {
    expect(placed([{ locality: "eu/b" }, { locality: "us/c" }], {})).toEqual(["eu/b 0 1 1", "us/c 1 1 1"]);
  });

  test("goes to the configured region before all others", () => {
    const policy = locality({ failover: [{ from: "eu", to: "us" }] });
    const foreign = [{ locality: "eu/a/1" }, { locality: "us/c" }, { locality: "cn/d" }];
    expect(placed(foreign, { policy })).toEqual(["cn/d 2 1 1", "eu/a/1 0 1 1", "us/c 1 1 1"]);
  });

  test("needs outlier detection", () => {
    expect(placed(world, { ejects: false }).every((text) => text.includes(" 0 1 1"))).toBe(true);
  });

  test("is off where a rule disables it", () => {
    expect(placed(world, { policy: { type: "off" } }).every((text) => text.includes(" 0 1 1"))).toBe(true);
  });
});

describe("failover by labels", () => {
  const members = [
    { address: "10.0.0.1", labels: { rack: "1", version: "v1" } },
    { address: "10.0.0.2", labels: { rack: "1", version: "v2" } },
    { address: "10.0.0.3", labels: { rack: "2", version: "v1" }, weight: 4 },
  ];

  test("prefers endpoints that share the most labels, from the first one on", () => {
    const policy = locality({ failoverPriority: ["rack", "version"] });
    expect(placed(members, { policy, labels: { rack: "1", version: "v1" } })).toEqual([" 0 1 1", " 1 1 1", " 2 4 1"]);
  });

  test("may set a value that differs from the client's", () => {
    const policy = locality({ failoverPriority: ["rack=2"] });
    expect(placed(members, { policy, labels: { rack: "1" } })).toEqual([" 0 4 1", " 1 2 2"]);
  });

  test("compares labels in other networks too, after all endpoints of the own network", () => {
    const policy = locality({ failoverPriority: ["topology.istio.io/network", "rack"] });
    const networks = [
      { network: "far", labels: { rack: "1" } },
      { network: "near", labels: { rack: "2" }, address: "10.0.0.2" },
    ];
    const labels = { "topology.istio.io/network": "near", rack: "1" };
    const groups = groupByLocality(networks.map((each) => fakeEndpoint(each)));
    const [first, second] = applyLocalityPolicy(groups, localitySetting({ policy }), location({ labels }));
    expect(first?.endpoints.map(({ network }) => network)).toEqual(["near"]);
    expect(second?.endpoints.map(({ network }) => network)).toEqual(["far"]);
  });

  test("uses labels that follow from an endpoint's locality", () => {
    const policy = locality({ failoverPriority: ["topology.kubernetes.io/zone"] });
    const labels = { "topology.kubernetes.io/zone": "b" };
    expect(placed(world.slice(0, 3), { policy, labels })).toEqual(["eu/a/1 1 1 1", "eu/a/2 1 1 1", "eu/b 0 1 1"]);
  });

  test("is refined by the configured failover regions", () => {
    const policy = locality({ failoverPriority: ["rack"], failover: [{ from: "eu", to: "us" }] });
    const foreign = ["us/c", "cn/d"].map((place) => ({ locality: place, labels: { rack: "1" } }));
    expect(placed(foreign, { policy, labels: { rack: "1" } })).toEqual(["cn/d 1 1 1", "us/c 0 1 1"]);
  });
});

describe("distribution", () => {
  const policy = locality({
    distribute: [
      { from: "us/*", to: new Map([["us/*", 100]]) },
      {
        from: "eu/a/*",
        to: new Map([
          ["eu/a/*", 70],
          ["us/c", 30],
        ]),
      },
    ],
  });

  test("divides a share by weight among its localities, and gives nothing to unlisted localities", () => {
    const weighty = [{ locality: "eu/a/1", weight: 1 }, { locality: "eu/a/2", weight: 2 }, ...world.slice(2)];
    expect(placed(weighty, { policy })).toEqual([
      "cn/d 0 1 0",
      "eu/a/1 0 24 1",
      "eu/a/2 0 47 1",
      "eu/b 0 1 0",
      "us/c 0 30 1",
    ]);
  });

  test("does not affect clients that it does not list", () => {
    expect(placed(world, { policy, at: "cn/d" }).every((text) => text.includes(" 0 1 1"))).toBe(true);
  });
});

describe("zones", () => {
  test("of the client's region are balanced by Envoy, and other regions are failover targets", () => {
    const policy: LocalityPolicy = {
      type: "zone-aware",
      enabled: true,
      minClusterSize: 3,
      failover: [{ from: "eu", to: "cn" }],
      failoverPriority: [],
    };
    const expected = ["cn/d 1 1 1", "eu/a/1 0 1 1", "eu/a/2 0 1 1", "eu/b 0 1 1", "us/c 2 1 1"];
    expect(placed(world, { policy, ejects: false })).toEqual(expected);
    expect(placed(world, { policy: { ...policy, enabled: false } }).every((text) => text.includes(" 0 1 1"))).toBe(
      true,
    );
  });
});

describe("the traffic distribution of a service", () => {
  test("is failover by labels, with or without outlier detection", () => {
    const labels = { "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "a" };
    const setting = { ejects: false, labels, service: { trafficDistribution: "same-zone" } } as const;
    expect(placed(world.slice(0, 4), setting)).toEqual(["eu/a/1 0 1 1", "eu/a/2 0 1 1", "eu/b 1 1 1", "us/c 2 1 1"]);
  });

  test("yields to a rule", () => {
    const service = { trafficDistribution: "same-node" } as const;
    expect(localitySetting({ service, policy: { type: "off" } }).policy).toEqual({ type: "off" });
  });
});

test("the mesh setting applies where neither a rule nor the service sets one", () => {
  const off = { ...mesh, localities: { type: "off" } } as const;
  expect(localitySettingOf(fakePolicy(), fakeService(), off).policy).toEqual({ type: "off" });
  const service = fakeService({ trafficDistribution: "same-zone" });
  expect(localitySettingOf(fakePolicy(), service, off)).toMatchObject({
    policy: { type: "locality" },
    failsOver: true,
  });
});

test.each<[string, Setting, object | undefined]>([
  ["plain failover", {}, undefined],
  [
    "a choice of regions",
    { policy: locality({ failover: [{ from: "a", to: "b" }] }) },
    { case: "localityWeightedLbConfig", value: {} },
  ],
  ["labels", { policy: locality({ failoverPriority: ["rack"] }) }, { case: "localityWeightedLbConfig", value: {} }],
  ["labels that nobody acts on", { policy: locality({ failoverPriority: ["rack"] }), ejects: false }, undefined],
  [
    "shares",
    { policy: locality({ distribute: [{ from: "*", to: new Map() }] }), ejects: false },
    { case: "localityWeightedLbConfig", value: {} },
  ],
  ["nothing", { policy: { type: "off" } }, undefined],
])("a cluster with %s has a locality setting", (_, setting, expected) => {
  expect(localityConfigOf(localitySetting(setting))).toEqual(expected);
});

function relevant(at: string, setting: Setting) {
  return relevantLocation(location({ at, labels: { rack: at } }), localitySetting(setting), {
    nodeLocal: false,
    clusterLocal: false,
  });
}

test("clients share endpoints unless the policy depends on their location", () => {
  expect(relevant("eu/a/1", { ejects: false })).toEqual(relevant("us/c", { ejects: false }));
  expect(relevant("eu/a/1", {})).not.toEqual(relevant("us/c", {}));
  const byRack = { policy: locality({ failoverPriority: ["rack"] }) };
  expect(relevant("eu/a/1", byRack)).not.toEqual(relevant("us/c", byRack));
  expect(relevant("eu/a/1", { ...byRack, ejects: false })).toEqual(relevant("us/c", { ...byRack, ejects: false }));
});
