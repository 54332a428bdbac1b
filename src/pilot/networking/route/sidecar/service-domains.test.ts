import { expect, test } from "vitest";
import { fakeService } from "../../../../testing/model/service.ts";
import { domainsSpelt, type PortForm } from "./service-domains.ts";

function domains(form: PortForm, changes: Parameters<typeof fakeService>[0]): readonly string[] {
  return domainsSpelt({ form, port: 80, dnsDomain: "web.svc.cluster.local" })(fakeService(changes)).domains;
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

test("equal questions have the same answer, so that what was encoded for it is found again", () => {
  const service = fakeService();
  const spelling = { form: "without", port: 80, dnsDomain: "" } as const;
  expect(domainsSpelt(spelling)(service)).toBe(domainsSpelt(spelling)(service));
  expect(domainsSpelt({ ...spelling, port: 81, form: "with" })(service).domains).toContain("cart.shop:81");
});
