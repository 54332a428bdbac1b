import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { destinationRule } from "../kinds/destination-rule.ts";
import { meshConfig } from "../kinds/mesh-config.ts";
import { virtualService } from "../kinds/virtual-service.ts";
import { type ApiAge, apiAgeOf } from "./api-age.ts";
import { lostFields } from "./lost-fields.ts";
import { withConcurrencyMessage } from "./mesh-concurrency.ts";
import { modernize } from "./modernize.ts";

/** A rule with the number 0 at every place that has a load balancer, as it is read on the other side. */
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
  test.each(["galley", "before-1.14"] as const)("is ROUND_ROBIN from %s, wherever it stands", (age) => {
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
  ])("is read where it is %s, and so is what follows it", (_, concurrency) => {
    const mesh = fromBinary(meshConfig.schema, withConcurrencyMessage(meshWith(concurrency)));
    expect(mesh.defaultConfig).toMatchObject({ concurrency: 2, proxyAdminPort: 15_000 });
    expect(mesh).toMatchObject({ proxyListenPort: 80, ingressControllerMode: 3 });
  });
});

/** A VirtualService with one route, of these bytes. */
function routeOf(...route: readonly number[]) {
  return fromBinary(virtualService.schema, Uint8Array.of(3 * 8 + 2, route.length, ...route));
}

test("the percent of aborted requests is a percentage now: without one, all of them would be aborted", () => {
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

test("fields that nobody reads any more are warned of, each at its place", () => {
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
])("a control plane called %s is of %s", (identifier, age) => {
  expect(apiAgeOf(identifier)).toBe(age);
});
