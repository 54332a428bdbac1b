import { expect, test } from "vitest";
import { mcpCollections } from "./collections.ts";

const names = mcpCollections.map(({ name }) => name);

test("every collection exists once", () => {
  expect(new Set(names).size).toBe(names.length);
});

test("only services and their projections are outside the default group", () => {
  const others = mcpCollections.filter(({ group }) => group !== "default");
  expect(others.map(({ name, group }) => [name, group])).toEqual([
    ["istio/networking/v1alpha3/synthetic/serviceentries", "syntheticServiceEntry"],
    ["binnacle/services", "syntheticServiceEntry"],
  ]);
});

test.each([
  ["istio/authentication/v1alpha1/meshpolicies", "istio.authentication.v1alpha1.Policy"],
  ["istio/authentication/v1alpha1/policies", "istio.authentication.v1alpha1.Policy"],
  ["istio/config/v1alpha2/adapters", "google.protobuf.Struct"],
  ["istio/config/v1alpha2/legacy/zipkins", "google.protobuf.Struct"],
  ["istio/mesh/v1alpha1/MeshConfig", "istio.mesh.v1alpha1.MeshConfig"],
  ["istio/mixer/v1/config/client/quotaspecs", "istio.mixer.v1.config.client.QuotaSpec"],
  ["istio/networking/v1alpha3/gateways", "istio.networking.v1alpha3.Gateway"],
  ["istio/networking/v1alpha3/synthetic/serviceentries", "istio.networking.v1alpha3.ServiceEntry"],
  ["istio/policy/v1beta1/rules", "istio.policy.v1beta1.Rule"],
  ["istio/rbac/v1alpha1/clusterrbacconfigs", "istio.rbac.v1alpha1.RbacConfig"],
  ["k8s/core/v1/namespaces", "k8s.io.api.core.v1.NamespaceSpec"],
  ["k8s/core/v1/services", "k8s.io.api.core.v1.ServiceSpec"],
])("%s holds %s", (name, message) => {
  const row = mcpCollections.find((each) => each.name === name);
  expect(row?.body.typeUrl).toBe(`type.googleapis.com/${message}`);
});
