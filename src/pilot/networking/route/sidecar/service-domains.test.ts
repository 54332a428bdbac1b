import { expect, test } from "vitest";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { domainsSpelt, type PortForm } from "./service-domains.ts";

const spelling = { form: "without", port: 80, dnsDomain: "web.svc.cluster.local", families: "dual" } as const;

function domains(form: PortForm, changes: Parameters<typeof fakeService>[0]): readonly string[] {
  return domainsSpelt({ ...spelling, form })(fakeService(changes)).domains;
}

test.each<[PortForm, readonly string[]]>([
  ["without", ["a.com", "a.com.", "10.0.0.1"]],
  ["with", ["a.com:80", "a.com.:80", "10.0.0.1:80"]],
  ["both", ["a.com", "a.com:80", "a.com.", "a.com.:80", "10.0.0.1", "10.0.0.1:80"]],
])("a name, its absolute form and the addresses are spelt %s port", (form, expected) => {
  expect(domains(form, { hostname: "a.com", addresses: ["10.0.0.1"] })).toEqual(expected);
});

test.each<[string, Parameters<typeof fakeService>[0], readonly string[]]>([
  ["in lower case", { hostname: "A.com" }, ["a.com", "a.com."]],
  ["without the address of everybody", { hostname: "a.com", addresses: ["0.0.0.0"] }, ["a.com", "a.com."]],
  ["with IPv6 in brackets", { hostname: "a.com", addresses: ["2001:db8::1"] }, ["a.com", "a.com.", "[2001:db8::1]"]],
  ["once if it is an address", { hostname: "10.0.0.9" }, ["10.0.0.9"]],
  [
    "with the pods of a headless service",
    { hostname: "db.pay.svc.cluster.local", registry: "Kubernetes", resolution: "passthrough" },
    [
      "db.pay.svc.cluster.local",
      "db.pay.svc.cluster.local.",
      "db.pay.svc",
      "db.pay",
      "*.db.pay.svc.cluster.local",
      "*.db.pay.svc.cluster.local.",
      "*.db.pay.svc",
      "*.db.pay",
    ],
  ],
  [
    "without pods for what is no Kubernetes service",
    { hostname: "a.com", resolution: "passthrough" },
    ["a.com", "a.com."],
  ],
])("a service is known %s", (_, changes, expected) => {
  expect(domains("without", changes)).toEqual(expected);
});

test("equal inputs give the same object, so that its encoding is reused", () => {
  const service = fakeService();
  expect(domainsSpelt(spelling)(service)).toBe(domainsSpelt(spelling)(service));
  expect(domainsSpelt({ ...spelling, port: 81, form: "with" })(service).domains).toContain("cart.shop:81");
});

test.each([
  ["v4", "Kubernetes", ["10.0.0.1", "fd00::1"], ["10.0.0.1"]],
  ["v6", "Kubernetes", ["10.0.0.1", "fd00::1"], ["[fd00::1]"]],
  ["dual", "Kubernetes", ["10.0.0.1", "fd00::1"], ["10.0.0.1", "[fd00::1]"]],
  ["v4", "Kubernetes", ["fd00::1"], []],
  ["v6", "Kubernetes", ["10.0.0.1"], []],
  ["v4", "External", ["10.0.0.1", "fd00::1"], ["10.0.0.1"]],
  ["v4", "External", ["fd00::1"], ["[fd00::1]"]],
] as const)("a %s proxy knows a service (%s) of the addresses %j by %j", (families, registry, addresses, expected) => {
  const service = fakeService({ hostname: "a.com", registry, addresses });
  expect(domainsSpelt({ ...spelling, families })(service).domains.slice(2)).toEqual(expected);
});
