import { expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import { outputOf, snapshotStrategies } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import { meshServices, receivedServices } from "../../config/mesh/mesh-service.ts";
import { assert } from "../../lib/assert.ts";
import { conversionOf, endpoints, node, pod, service } from "../../testing/galley/reviews-service.ts";
import { MemorySource } from "../source/memory-source.ts";
import { Processor } from "./processor.ts";
import { collectionsOf, inputsOf, transformsFor } from "./transforms.ts";

const transforms = transformsFor(kinds);

const net = "istio.networking.v1alpha3";
const policy = "istio.policy.v1beta1";
const client = "istio.mixer.v1.config.client";

/** The collections that Galley's consumers request, with the expected message of each. */
const mcpCollections = {
  "istio/authentication/v1alpha1/meshpolicies": "istio.authentication.v1alpha1.Policy",
  "istio/authentication/v1alpha1/policies": "istio.authentication.v1alpha1.Policy",
  "istio/config/v1alpha2/adapters": "google.protobuf.Struct",
  "istio/config/v1alpha2/httpapispecbindings": `${client}.HTTPAPISpecBinding`,
  "istio/config/v1alpha2/httpapispecs": `${client}.HTTPAPISpec`,
  "istio/config/v1alpha2/templates": "google.protobuf.Struct",
  "istio/mesh/v1alpha1/MeshConfig": "istio.mesh.v1alpha1.MeshConfig",
  "istio/mixer/v1/config/client/quotaspecbindings": `${client}.QuotaSpecBinding`,
  "istio/mixer/v1/config/client/quotaspecs": `${client}.QuotaSpec`,
  "istio/networking/v1alpha3/destinationrules": `${net}.DestinationRule`,
  "istio/networking/v1alpha3/envoyfilters": `${net}.EnvoyFilter`,
  "istio/networking/v1alpha3/gateways": `${net}.Gateway`,
  "istio/networking/v1alpha3/serviceentries": `${net}.ServiceEntry`,
  "istio/networking/v1alpha3/sidecars": `${net}.Sidecar`,
  "istio/networking/v1alpha3/virtualservices": `${net}.VirtualService`,
  "istio/policy/v1beta1/attributemanifests": `${policy}.AttributeManifest`,
  "istio/policy/v1beta1/handlers": `${policy}.Handler`,
  "istio/policy/v1beta1/instances": `${policy}.Instance`,
  "istio/policy/v1beta1/rules": `${policy}.Rule`,
  "istio/rbac/v1alpha1/clusterrbacconfigs": "istio.rbac.v1alpha1.RbacConfig",
  "istio/rbac/v1alpha1/rbacconfigs": "istio.rbac.v1alpha1.RbacConfig",
  "istio/rbac/v1alpha1/servicerolebindings": "istio.rbac.v1alpha1.ServiceRoleBinding",
  "istio/rbac/v1alpha1/serviceroles": "istio.rbac.v1alpha1.ServiceRole",
  "istio/security/v1beta1/authorizationpolicies": "istio.security.v1beta1.AuthorizationPolicy",
  "istio/security/v1beta1/peerauthentications": "istio.security.v1beta1.PeerAuthentication",
  "istio/security/v1beta1/requestauthentications": "istio.security.v1beta1.RequestAuthentication",
  "k8s/core/v1/namespaces": "k8s.io.api.core.v1.NamespaceSpec",
  "k8s/core/v1/services": "k8s.io.api.core.v1.ServiceSpec",
};

test.each(Object.entries(mcpCollections))("%s leaves Galley as %s", (collection, message) => {
  const from = transforms.filter(({ outputs }) => outputs.some((output) => output.collection === collection));
  const makers = kinds.filter((kind) => outputOf(kind) === collection);
  expect(makers.map(({ schema }) => schema.typeName)).toEqual([message]);
  expect(from.flatMap(({ inputs }) => inputs)).toContain(makers[0]?.collection);
  expect(collectionsOf("default", transforms)).toContain(collection);
});

test("Mixer's legacy kinds leave unchanged", () => {
  const legacy = kinds.filter((kind) => outputOf(kind)?.startsWith("istio/config/v1alpha2/legacy/"));
  expect(legacy).toHaveLength(31);
  expect(new Set(legacy.map(({ schema }) => schema.typeName))).toEqual(new Set(["google.protobuf.Struct"]));
});

test("every output derives from collections that sources fill", () => {
  const filled = new Set([...kinds.map(({ collection }) => collection), receivedServices]);
  expect(transforms.flatMap(({ inputs }) => inputs).filter((input) => !filled.has(input))).toEqual([]);
});

test("no two kinds share an output collection, and every group has a strategy", () => {
  const passed = kinds.flatMap((kind) => outputOf(kind) ?? []);
  expect(new Set(passed).size).toBe(passed.length);
  const groups = new Set(transforms.flatMap(({ outputs }) => outputs.map(({ group }) => group)));
  expect([...groups].filter((group) => !(group in snapshotStrategies))).toEqual([]);
});

test("synthetic ServiceEntries leave immediately, and everything else is debounced", () => {
  expect(snapshotStrategies).toEqual({
    default: "debounce",
    syntheticServiceEntry: "immediate",
    credentials: "immediate",
    localAnalysis: "immediate",
  });
});

test("a server without analysis and certificates does not read the kinds that only these need", () => {
  const needed = inputsOf(["default", "syntheticServiceEntry"], transforms);
  const idle = kinds.filter(({ collection }) => !needed.has(collection));
  expect(idle.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["Secret", "ConfigMap", "Deployment"]));
  expect(new Set(idle.map(({ snapshot }) => snapshot))).toEqual(new Set(["credentials", "localAnalysis"]));
});

test("Kubernetes kinds are not forwarded unless the table says so", () => {
  const leaving = collectionsOf("default", transforms).filter((collection) => collection.startsWith("k8s/"));
  expect(leaving).toEqual(["k8s/core/v1/services", "k8s/core/v1/namespaces"]);
});

test("analysis sees all outputs, and kinds that nothing else reads", () => {
  const collections = collectionsOf("localAnalysis", transforms);
  expect(collections).toEqual(expect.arrayContaining([...collectionsOf("default", transforms)]));
  expect(collections).toEqual(
    expect.arrayContaining(["k8s/core/v1/pods", "k8s/core/v1/secrets", "k8s/apps/v1/deployments"]),
  );
});

test("services and their synthetic entries are a separate group, empty and complete without services", () => {
  const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
  expect(collectionsOf("syntheticServiceEntry", transforms)).toEqual([meshServices, synthetic]);
  const graph = new Graph();
  const processor = new Processor({ graph, sources: [], transforms });
  expect(processor.outputs.get(synthetic)).toMatchObject({ synced: true, size: 0 });
  expect(processor.outputs.get(meshServices)).toMatchObject({ synced: true, size: 0 });
});

test("services converted by another Galley leave unchanged, with the same synthetic entries as local services", async () => {
  const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
  const converted = conversionOf(service, endpoints, pod, node);
  const [reviews] = converted.output(meshServices).values();
  assert(reviews !== undefined, "a service is converted");
  const source = new MemorySource({ name: "mcp://galley:9901", collections: [receivedServices] });
  source.set(receivedServices, reviews);
  const processor = new Processor({ graph: new Graph(), sources: [source], transforms });
  await processor.start();
  expect([...(processor.outputs.get(meshServices)?.values() ?? [])]).toEqual([reviews]);
  const entries = [...(processor.outputs.get(synthetic)?.values() ?? [])];
  expect(entries).toEqual([...converted.output(synthetic).values()]);
});

test("graph collections and transformers are named by their purpose", () => {
  const graph = new Graph();
  const { outputs } = new Processor({ graph, sources: [], transforms });
  expect(outputs.has("k8s/core/v1/pods")).toBe(true);
  const names = graph.describe().map(({ name }) => name);
  const ingress = ["gateways", "names", "ours", "rules", "rules by host", "settings", "virtual services"];
  const named = [
    ...[...ingress, "ports of services"].map((name) => `ingress/${name}`),
    ...[...ingress, "by name"].map((name) => `old ingress/${name}`),
    ...["converted", "endpoints", "places of nodes", "slices", "slices by service"].map((name) => `services/${name}`),
    ...["workloads", "workloads by address"].map((name) => `services/${name}`),
  ];
  expect(names).toEqual(expect.arrayContaining(named));
  const called = transforms.map(({ name }) => name);
  expect(called.filter((name) => !name.includes("/"))).toEqual([
    "ingress",
    "old ingress",
    "legacy authentication",
    "legacy authorization",
    "services",
    "received services",
  ]);
  expect(called).toContain("direct/k8s/core/v1/pods");
  expect(called).toContain("authpolicy/istio/authentication/v1alpha1/policies");
});
