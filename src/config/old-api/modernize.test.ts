import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OutlierDetectionSchema } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { destinationRule } from "../kinds/destination-rule.ts";
import { meshConfig } from "../kinds/mesh-config.ts";
import { virtualService } from "../kinds/virtual-service.ts";
import { type ApiAge, apiAgeOf } from "./api-age.ts";
import { lostFields } from "./lost-fields.ts";
import { withConcurrencyMessage } from "./mesh-concurrency.ts";
import { modernize } from "./modernize.ts";

/** A rule with the number 0 at every place of a load balancer, as the receiver reads it. */
function ruleFrom(age: ApiAge): JsonValue {
  const zero = { loadBalancer: { simple: "UNSPECIFIED" } };
  const ports = { portLevelSettings: [{ port: { number: 80 }, ...zero }] };
  const { schema } = destinationRule;
  const written = { host: "a", trafficPolicy: { ...zero, ...ports }, subsets: [{ name: "b", trafficPolicy: zero }] };
  const rule = fromBinary(schema, toBinary(schema, fromJson(schema, written)));
  modernize(rule, age);
  return toJson(schema, rule);
}

describe("the number 0 of a simple load balancer", () => {
  test.each(["galley", "before-1.14"] as const)("is ROUND_ROBIN from %s, at every place", (age) => {
    const round = { loadBalancer: { simple: "ROUND_ROBIN" } };
    expect(ruleFrom(age)).toEqual({
      host: "a",
      trafficPolicy: { ...round, portLevelSettings: [{ port: { number: 80 }, ...round }] },
      subsets: [{ name: "b", trafficPolicy: round }],
    });
  });

  test("is UNSPECIFIED today", () => {
    expect(JSON.stringify(ruleFrom("today"))).not.toContain("ROUND_ROBIN");
  });
});

describe("consecutive errors of an outlier detection", () => {
  const { schema } = destinationRule;
  const read = (outlierDetection: JsonValue, age: ApiAge): JsonValue => {
    const policy = { outlierDetection };
    const ports = { portLevelSettings: [{ port: { number: 80 }, ...policy }] };
    const rule = fromJson(schema, {
      host: "a",
      trafficPolicy: { ...policy, ...ports },
      subsets: [{ name: "b", trafficPolicy: policy }],
    });
    modernize(rule, age);
    const { trafficPolicy, subsets } = rule;
    const policies = [trafficPolicy, trafficPolicy?.portLevelSettings[0], subsets[0]?.trafficPolicy];
    const read = policies.flatMap((each) => each?.outlierDetection ?? []);
    expect(new Set(read.map((each) => JSON.stringify(toJson(OutlierDetectionSchema, each))))).toHaveLength(1);
    return read[0] === undefined ? null : toJson(OutlierDetectionSchema, read[0]);
  };

  test("are gateway errors, and others are not counted, from a Galley", () => {
    expect(read({ consecutiveErrors: 7, minHealthPercent: 3 }, "galley")).toEqual({
      consecutiveGatewayErrors: 7,
      consecutive5xxErrors: 0,
      minHealthPercent: 3,
    });
  });

  test.each([
    ["galley", { consecutive5xxErrors: 2, consecutiveErrors: 7 }],
    ["galley", { minHealthPercent: 3 }],
    ["before-1.14", { consecutiveErrors: 7 }],
    ["today", { consecutiveErrors: 7 }],
  ] as const)("stay as they are from %s in %o", (age, written) => {
    expect(read(written, age)).toEqual(written);
  });
});

test.each([
  [0, "galley", 1],
  [1, "galley", 2],
  [2, "galley", 3],
  [3, "galley", 3],
  [0, "before-1.14", 0],
  [2, "today", 2],
] as const)("the ingress controller mode %i from %s is the mode %i of today", (written, age, read) => {
  const mesh = fromBinary(meshConfig.schema, Uint8Array.of(9 * 8, written));
  modernize(mesh, age);
  expect(mesh.ingressControllerMode).toBe(read);
});

/** `defaultConfig` with concurrency, and after it `proxyAdminPort: 15000`. */
function meshWith(concurrency: readonly number[]): Uint8Array {
  const proxy = [...concurrency, 11 * 8, 0x98, 0x75];
  return Uint8Array.from([4 * 8, 80, 14 * 8 + 2, proxy.length, ...proxy, 9 * 8, 3]);
}

describe("the concurrency of proxies", () => {
  test.each([
    ["a plain number", [0x80, 0x01, 2]],
    ["a message", [0x82, 0x01, 2, 0x08, 2]],
  ])("is read as %s, and so are the fields after it", (_, concurrency) => {
    const mesh = fromBinary(meshConfig.schema, withConcurrencyMessage(meshWith(concurrency)));
    expect(mesh.defaultConfig).toMatchObject({ concurrency: 2, proxyAdminPort: 15_000 });
    expect(mesh).toMatchObject({ proxyListenPort: 80, ingressControllerMode: 3 });
  });
});

/** A VirtualService with one route, of these bytes. */
function routeOf(...route: readonly number[]) {
  return fromBinary(virtualService.schema, Uint8Array.of(3 * 8 + 2, route.length, ...route));
}

test("the percent of aborted requests becomes a percentage: without one, all requests would be aborted", () => {
  // fault 8 { abort 2 { percent 1: 10, http_status 2: 500 } }
  const service = routeOf(8 * 8 + 2, 7, 2 * 8 + 2, 5, 0x08, 10, 0x10, 0xf4, 0x03);
  expect(lostFields(virtualService.schema, service).map(({ path }) => path)).toEqual([
    "spec.http[0].fault.abort.percent",
  ]);
  modernize(service, "galley");
  expect(service.http[0]?.fault?.abort).toMatchObject({
    percentage: { value: 10 },
    errorType: { case: "httpStatus", value: 500 },
  });
  expect(lostFields(virtualService.schema, service)).toEqual([]);
});

test("fields that are no longer read are warnings, each at its place", () => {
  // websocket_upgrade 5: true, which Pilot 1.3 did not read either; append_headers 11 {};
  // route 2 { remove_response_headers 3: "" }
  const service = routeOf(0x28, 1, 11 * 8 + 2, 0, 2 * 8 + 2, 2, 3 * 8 + 2, 0);
  expect(lostFields(virtualService.schema, service).map(({ severity, path }) => `${severity} ${path}`)).toEqual([
    "warning spec.http[0].appendHeaders",
    "warning spec.http[0].route[0].removeResponseHeaders",
  ]);
});

test.each([
  ['{"Component":"istiod","ID":"a","Info":{"version":"1.13.9"}}', "before-1.14"],
  ['{"Component":"istiod","ID":"a","Info":{"version":"1.7.0-alpha.1"}}', "before-1.14"],
  ['{"Component":"istiod","ID":"a","Info":{"version":"1.29.6"}}', "today"],
  ['{"Component":"istiod","ID":"a","Info":{"version":"unknown"}}', "today"],
  ["binnacle", "today"],
  ["", "today"],
])("a control plane named %s has the age %s", (identifier, age) => {
  expect(apiAgeOf(identifier)).toBe(age);
});
