import { expect, test } from "vitest";
import { fakeRule } from "../../../testing/model/traffic.ts";
import { fakeBalancer } from "../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type {
  DestinationPolicy,
  OutlierDetection,
  PortPolicy,
  TrafficPolicy,
} from "../../model/traffic/destination-rule.ts";
import { effectivePolicy } from "./traffic-policy.ts";

const nothing: DestinationPolicy = {
  loadBalancer: undefined,
  connectionPool: undefined,
  outlierDetection: undefined,
  tls: undefined,
  proxyProtocol: undefined,
  retryBudget: undefined,
  tunnel: undefined,
};
const random = fakeBalancer({ algorithm: "random" });
const roundRobin = fakeBalancer({ algorithm: "round-robin" });
const outliers = { minHealthPercent: 1 } as OutlierDetection;

function policy(
  own: Partial<DestinationPolicy>,
  ports: Readonly<Record<number, Partial<PortPolicy>>> = {},
): TrafficPolicy {
  const entries = Object.entries(ports).map(([port, at]) => [Number(port), { ...nothing, ...at }] as const);
  return { ...nothing, ...own, ports: new Map(entries) };
}

function effective(
  top: TrafficPolicy | undefined,
  subset?: TrafficPolicy,
  mesh = defaultMeshSettings,
): DestinationPolicy {
  const named = subset === undefined ? undefined : { name: "v1", labels: {}, trafficPolicy: subset };
  return effectivePolicy(fakeRule({ trafficPolicy: top }), named, 80, mesh);
}

test("a port's settings replace the whole policy around them", () => {
  const top = policy({ loadBalancer: random, outlierDetection: outliers }, { 80: { loadBalancer: roundRobin } });
  expect(effective(top)).toEqual({ ...nothing, loadBalancer: roundRobin });
});

test("a subset overrides the fields it sets and keeps the rest", () => {
  const top = policy({ loadBalancer: random, outlierDetection: outliers });
  expect(effective(top, policy({ loadBalancer: roundRobin }))).toEqual({
    ...nothing,
    loadBalancer: roundRobin,
    outlierDetection: outliers,
  });
});

test("a subset's port settings replace everything", () => {
  const top = policy({ loadBalancer: random, outlierDetection: outliers });
  expect(effective(top, policy({}, { 80: { loadBalancer: roundRobin } }))).toEqual({
    ...nothing,
    loadBalancer: roundRobin,
  });
});

test("a subset of a passthrough rule is passthrough, whatever it sets", () => {
  const loadBalancer = fakeBalancer({ algorithm: "passthrough" });
  const top = policy({ loadBalancer: random }, { 80: { loadBalancer } });
  expect(effective(top, policy({ loadBalancer: roundRobin, outlierDetection: outliers }))).toEqual({
    ...nothing,
    loadBalancer,
    outlierDetection: outliers,
  });
});

test("unset fields come from the mesh", () => {
  const mesh = { ...defaultMeshSettings, defaultOutlierDetection: outliers };
  expect(effective(undefined, undefined, mesh).outlierDetection).toBe(outliers);
});
