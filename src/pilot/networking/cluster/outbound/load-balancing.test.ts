import { expect, test } from "vitest";
import { Cluster_LbPolicy } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeBalancer, fakeOutliers, fakePolicy } from "../../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings as mesh } from "../../../model/mesh-settings.ts";
import type { Service } from "../../../model/service/service.ts";
import type { ConsistentHash, LoadBalancer } from "../../../model/traffic/destination-rule.ts";
import { localitySettingOf } from "../../endpoint/locality-policy.ts";
import { commonLbConfigOf, lbConfigOf, lbPolicyOf } from "./load-balancing.ts";

function hashed(algorithm: ConsistentHash["algorithm"], size: number) {
  return fakePolicy({ loadBalancer: fakeBalancer({ consistentHash: { key: undefined, algorithm, size } }) });
}

test.each<[LoadBalancer["algorithm"], Cluster_LbPolicy]>([
  ["least-request", Cluster_LbPolicy.LEAST_REQUEST],
  ["round-robin", Cluster_LbPolicy.ROUND_ROBIN],
  ["random", Cluster_LbPolicy.RANDOM],
])("%s is passed to Envoy unchanged, except where connections use their original destination", (algorithm, policy) => {
  const policies = fakePolicy({ loadBalancer: fakeBalancer({ algorithm }) });
  expect(lbPolicyOf(policies, "eds")).toBe(policy);
  expect(lbPolicyOf(policies, "original-dst")).toBe(Cluster_LbPolicy.CLUSTER_PROVIDED);
  expect(lbPolicyOf(policies, "forward-proxy")).toBe(Cluster_LbPolicy.CLUSTER_PROVIDED);
});

test("without a load balancer setting the cluster uses least request", () => {
  expect(lbPolicyOf(fakePolicy(), "eds")).toBe(Cluster_LbPolicy.LEAST_REQUEST);
});

test("a consistent hash takes precedence over a simple algorithm, with its configured size", () => {
  expect(lbPolicyOf(hashed("ring-hash", 0), "eds")).toBe(Cluster_LbPolicy.RING_HASH);
  expect(lbPolicyOf(hashed("maglev", 0), "eds")).toBe(Cluster_LbPolicy.MAGLEV);
  expect(lbConfigOf(hashed("ring-hash", 0), "eds", undefined)).toBeUndefined();
  expect(lbConfigOf(hashed("ring-hash", 64), "eds", undefined)).toEqual({
    case: "ringHashLbConfig",
    value: { minimumRingSize: 64n },
  });
  expect(lbConfigOf(hashed("maglev", 101), "eds", undefined)).toEqual({
    case: "maglevLbConfig",
    value: { tableSize: 101n },
  });
});

test("a warm-up applies to the two algorithms that support it", () => {
  const warmup = { duration: { seconds: 30n, nanos: 0 }, curve: { minimumPercent: 20, aggression: 2 } };
  const slowStartConfig = {
    slowStartWindow: warmup.duration,
    aggression: { defaultValue: 2, runtimeKey: "(" },
    minWeightPercent: { value: 20 },
  };
  const configOf = (algorithm: LoadBalancer["algorithm"]) =>
    lbConfigOf(fakePolicy({ loadBalancer: fakeBalancer({ algorithm, warmup }) }), "eds", undefined);
  expect(configOf("round-robin")).toEqual({ case: "roundRobinLbConfig", value: { slowStartConfig } });
  expect(configOf("least-request")).toEqual({ case: "leastRequestLbConfig", value: { slowStartConfig } });
  expect(configOf("random")).toBeUndefined();
});

test.each<[string, number | undefined, Service["trafficDistribution"], object | undefined]>([
  ["nobody looks", undefined, "any", undefined],
  ["a rule says when", 30, "any", { value: 30 }],
  ["ill endpoints are listed", undefined, "same-zone", { value: 0 }],
  ["ill endpoints are listed, whatever a rule says", 30, "same-node", { value: 0 }],
])("panic mode starts when %s", (_, minHealthPercent, trafficDistribution, expected) => {
  const outlierDetection = minHealthPercent === undefined ? undefined : fakeOutliers({ minHealthPercent });
  const policy = fakePolicy({ outlierDetection });
  const service = fakeService({ trafficDistribution });
  const config = commonLbConfigOf(policy, service, localitySettingOf(policy, service, mesh), "eds");
  expect(config.healthyPanicThreshold).toEqual(expected);
});
