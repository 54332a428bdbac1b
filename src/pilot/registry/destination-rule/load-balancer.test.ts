import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  LoadBalancerSettingsSchema,
  LoadBalancerSettings_SimpleLB as SimpleLB,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { ConsistentHash, HashKey } from "../../model/traffic/destination-rule.ts";
import { loadBalancerOf } from "./load-balancer.ts";

type Settings = MessageInitShape<typeof LoadBalancerSettingsSchema>;
type Hash = Extract<NonNullable<Settings["lbPolicy"]>, { case: "consistentHash" }>["value"];

function made(settings: Settings) {
  return loadBalancerOf(create(LoadBalancerSettingsSchema, settings));
}

function hash(value: Hash): ConsistentHash | undefined {
  return made({ lbPolicy: { case: "consistentHash", value } }).consistentHash;
}

test.each<[string, Hash, Pick<ConsistentHash, "algorithm" | "size">]>([
  ["nothing", {}, { algorithm: "ring-hash", size: 1024 }],
  ["the older size", { minimumRingSize: 64n }, { algorithm: "ring-hash", size: 64 }],
  ["a ring", { hashAlgorithm: { case: "ringHash", value: {} } }, { algorithm: "ring-hash", size: 0 }],
  ["Maglev", { hashAlgorithm: { case: "maglev", value: { tableSize: 101n } } }, { algorithm: "maglev", size: 101 }],
])("a hash that says %s", (_, said, expected) => {
  expect(hash(said)).toMatchObject(expected);
});

test.each<[string, Hash["hashKey"], HashKey | undefined]>([
  ["a header", { case: "httpHeaderName", value: "x-user" }, { type: "header", name: "x-user" }],
  ["a parameter", { case: "httpQueryParameterName", value: "user" }, { type: "query-parameter", name: "user" }],
  ["the caller's address", { case: "useSourceIp", value: true }, { type: "source-ip" }],
  ["not the caller's address", { case: "useSourceIp", value: false }, undefined],
  [
    "a cookie",
    {
      case: "httpCookie",
      value: { name: "s", path: "/", ttl: { seconds: 5n }, attributes: [{ name: "a", value: "b" }] },
    },
    { type: "cookie", name: "s", path: "/", ttl: { seconds: 5n, nanos: 0 }, attributes: [{ name: "a", value: "b" }] },
  ],
])("a hash of %s", (_, hashKey, key) => {
  expect(hash(hashKey === undefined ? {} : { hashKey })?.key).toEqual(key);
});

test.each<[SimpleLB, string]>([
  [SimpleLB.UNSPECIFIED, "least-request"],
  [SimpleLB.LEAST_CONN, "least-request"],
  [SimpleLB.ROUND_ROBIN, "round-robin"],
  [SimpleLB.PASSTHROUGH, "passthrough"],
])("the simple algorithm %i is %s", (value, algorithm) => {
  expect(made({ lbPolicy: { case: "simple", value } }).algorithm).toBe(algorithm);
});

test("zone-aware settings override locality settings, and a disabled setting is off", () => {
  expect(made({ localityLbSetting: { enabled: false } }).localities).toEqual({ type: "off" });
  const both = made({ localityLbSetting: {}, zoneAwareLbSetting: { minClusterSize: 2 } });
  expect(both.localities).toMatchObject({ type: "zone-aware", enabled: true, minClusterSize: 2 });
  expect(made({}).localities).toBeUndefined();
});
