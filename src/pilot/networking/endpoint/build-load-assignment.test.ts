import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import { fakeAssignment } from "../../../testing/assignment-inputs.ts";
import { fakePolicy, fakeTls } from "../../../testing/cluster-client.ts";
import { fakeEndpoint, fakeRule, fakeService } from "../../../testing/mesh-views.ts";
import { resourceJson } from "../../../testing/resource-json.ts";
import type { Endpoint } from "../../model/service.ts";
import type { AssignmentInputs } from "./assigned-groups.ts";
import { buildLoadAssignment } from "./build-load-assignment.ts";

function assignmentOf(endpoints: readonly Partial<Endpoint>[], changes: Partial<AssignmentInputs> = {}): string {
  const all = endpoints.map((each) => fakeEndpoint(each));
  const listed = { hostname: "cart.shop", namespace: "shop", endpoints: all, owners: [] };
  const inputs = fakeAssignment({ endpoints: listed, ...changes });
  return JSON.stringify(resourceJson(buildLoadAssignment(inputs, new ProtoWriter())));
}

test("names are left to those who resolve them", () => {
  const text = assignmentOf([{ address: "a.example.com" }, { address: "unix:///run/app" }, { address: "10.0.0.1" }]);
  expect(text).not.toContain("a.example.com");
  expect(text).toContain("/run/app");
  expect(text).toContain("10.0.0.1");
});

test("endpoints that are going away are left out, unless the service keeps sessions", () => {
  const draining = [{ address: "10.0.0.1", labels: { "istio.io/draining": "true" } }];
  expect(assignmentOf(draining)).not.toContain("10.0.0.1");
  const service = fakeService({ labels: { "istio.io/persistent-session": "cookie" } });
  expect(assignmentOf(draining, { service })).toContain("10.0.0.1");
});

test("endpoints are marked as the rule says", () => {
  const rule = fakeRule({ trafficPolicy: fakePolicy({ tls: fakeTls({ mode: "istio-mutual" }) }) });
  expect(assignmentOf([{}])).not.toContain("tlsMode");
  expect(assignmentOf([{}], { rule })).toContain("tlsMode");
});

test("only endpoints that speak the mesh's TLS get it unopened, under the name it asks for", () => {
  const endpoints = [{ address: "10.0.0.1", tlsMode: "istio" }, { address: "10.0.0.2" }] as const;
  const text = assignmentOf(endpoints, { unopened: true });
  expect(text).toContain("10.0.0.1");
  expect(text).not.toContain("10.0.0.2");
  expect(text).toContain('"outbound_.80_._.cart.shop"');
});
