import { expect, test } from "vitest";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { fakePolicy, fakeTls } from "../../../testing/model/fake-traffic-policy.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import type { ClientTls, TrafficPolicy } from "../../model/traffic/destination-rule.ts";
import { setTlsModes } from "./set-tls-modes.ts";

const endpoints = [fakeEndpoint({ tlsMode: "istio" }), fakeEndpoint({ tlsMode: "disabled" })];

const nobody = { rule: undefined, subset: undefined, port: 80, refusals: undefined };

function tls(mode: ClientTls["mode"] | undefined): ClientTls | undefined {
  return mode === undefined ? undefined : fakeTls({ mode });
}

function policy(mode: ClientTls["mode"] | undefined, atPort?: ClientTls["mode"]): TrafficPolicy {
  const ports = new Map(atPort === undefined ? [] : [[80, fakePolicy({ tls: tls(atPort) })]]);
  return fakePolicy({ tls: tls(mode), ports });
}

function marks(rule?: TrafficPolicy, subset?: TrafficPolicy): readonly string[] {
  const named = subset === undefined ? undefined : { name: "v1", labels: {}, trafficPolicy: subset };
  const marked = setTlsModes(endpoints, { ...nobody, rule: fakeRule({ trafficPolicy: rule }), subset: named });
  return marked.map(({ tlsMode }) => tlsMode);
}

const all = ["istio", "istio"];
const none = ["disabled", "disabled"];

test.each<[string, TrafficPolicy | undefined, TrafficPolicy | undefined, readonly string[]]>([
  ["nobody", undefined, undefined, ["istio", "disabled"]],
  ["a rule that is about other things", policy(undefined), policy(undefined), ["istio", "disabled"]],
  ["a rule for mutual TLS", policy("istio-mutual"), undefined, all],
  ["a rule for another TLS", policy("simple"), undefined, none],
  ["a rule for plain text", policy("disable"), undefined, none],
  ["a port before its host", policy("disable", "istio-mutual"), undefined, all],
  ["a subset before its host", policy("istio-mutual", "istio-mutual"), policy("disable"), none],
  ["a host whose subset is about other things", policy("istio-mutual"), policy(undefined), all],
])("%s decides", (_, rule, subset, expected) => {
  expect(marks(rule, subset)).toEqual(expected);
});

test("an endpoint with the same TLS mode is the same object, so that it is encoded once", () => {
  const rule = fakeRule({ trafficPolicy: policy("istio-mutual") });
  const [first, second] = setTlsModes(endpoints, { ...nobody, rule });
  expect(first).toBe(endpoints[0]);
  expect(setTlsModes(endpoints, { ...nobody, rule })[1]).toBe(second);
});

test("an endpoint that refuses mesh mTLS gets TLS mode disabled, unless a rule sets mTLS", () => {
  const refusals = { refuses: () => true };
  const modes = (rule?: TrafficPolicy) =>
    setTlsModes(endpoints, { ...nobody, refusals, rule: fakeRule({ trafficPolicy: rule }) }).map((one) => one.tlsMode);
  expect(modes()).toEqual(none);
  expect(modes(policy("istio-mutual"))).toEqual(all);
});
