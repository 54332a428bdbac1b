import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  TrafficPolicy_ProxyProtocol_VERSION as ProxyProtocolVersion,
  TrafficPolicySchema,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { trafficPolicyOf } from "./traffic-policy.ts";

function budgetOf(retryBudget: NonNullable<MessageInitShape<typeof TrafficPolicySchema>["retryBudget"]>) {
  return trafficPolicyOf(create(TrafficPolicySchema, { retryBudget })).retryBudget;
}

test("a retry budget has default sizes unless they are set", () => {
  expect(budgetOf({})).toEqual({ percent: 20, minRetryConcurrency: 3, interval: undefined });
  expect(budgetOf({ percent: 50, minRetryConcurrency: 1, budgetInterval: { seconds: 2n } })).toEqual({
    percent: 50,
    minRetryConcurrency: 1,
    interval: { seconds: 2n, nanos: 0 },
  });
});

test("the PROXY protocol and the tunnel apply to the whole destination", () => {
  const policy = trafficPolicyOf(
    create(TrafficPolicySchema, {
      proxyProtocol: { version: ProxyProtocolVersion.V1 },
      tunnel: { protocol: "POST", targetHost: "out.example.com", targetPort: 443 },
      portLevelSettings: [{ port: { number: 80 }, tls: { sni: "x" } }],
    }),
  );
  expect(policy).toMatchObject({
    proxyProtocol: "v1",
    tunnel: { method: "POST", targetHost: "out.example.com", targetPort: 443 },
  });
  expect(policy.ports.get(80)?.tls?.sni).toBe("x");
});

test("connection limits and keepalives are used unchanged", () => {
  const http2KeepAlive = { interval: { seconds: 5n } };
  const connectionPool = { tcp: { maxConnections: 3 }, http: { http2KeepAlive, maxConcurrentStreams: 7 } };
  expect(trafficPolicyOf(create(TrafficPolicySchema, { connectionPool })).connectionPool).toMatchObject({
    maxConnections: 3,
    maxConcurrentStreams: 7,
    http2Keepalive: { interval: { seconds: 5n, nanos: 0 }, timeout: undefined },
  });
});
