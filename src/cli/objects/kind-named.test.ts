import { expect, test } from "vitest";
import { kindNamed } from "./kind-named.ts";

test.each([
  ["VirtualService", "VirtualService", "networking.istio.io"],
  ["virtualservice", "VirtualService", "networking.istio.io"],
  ["virtualservices", "VirtualService", "networking.istio.io"],
  ["vs", "VirtualService", "networking.istio.io"],
  ["svc", "Service", ""],
  ["ingresses.extensions", "Ingress", "extensions"],
  ["ingress", "Ingress", "networking.k8s.io"],
])("%s is a %s of the group %j", (word, kind, group) => {
  expect(kindNamed(word)).toMatchObject({ kind, group });
});

test("a misspelt kind gives a suggestion", () => {
  expect(() => kindNamed("virtualsevice")).toThrow("virtualsevice is not a known kind; did you mean VirtualService?");
  expect(() => kindNamed("constructor")).toThrow("constructor is not a known kind");
});
