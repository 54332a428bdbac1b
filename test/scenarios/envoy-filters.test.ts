import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import { patchReports } from "../../src/pilot/xds/patch-effects.ts";
import { decodedResource } from "../../src/testing/envoy/decoded-resource.ts";
import { clusterA, filter, ofA, other, PatchedMesh, service, sidecar, timeout } from "./envoy-filters/patched-mesh.ts";

describe("work", () => {
  test("is done once for a patched resource, and never for resources and proxies without patches", () => {
    const plain = new PatchedMesh(service("a"), service("b"));
    const mesh = new PatchedMesh(service("a"), service("b"), filter([timeout(3, ofA)], "x"));
    for (const proxy of [other, sidecar]) {
      // Of the resources of the selected proxy, the cluster of `a` alone is encoded again.
      const [first, unpatched] = [mesh, plain].map((each) => each.encodings(() => each.resources(proxy)));
      expect((first ?? 0) - (unpatched ?? 0)).toBe(proxy === sidecar ? 1 : 0);
      // Some small listeners are always encoded.
      const [second, usual] = [mesh, plain].map((each) => each.encodings(() => each.resources(proxy)));
      expect(second).toBe(usual);
    }
    expect(mesh.named("CDS", clusterA)?.["connectTimeout"]).toBe("3s");
    expect(mesh.named("CDS", clusterA, other)?.["connectTimeout"]).toBe("10s");
  });

  test("after an edit of a filter is one encoding for each resource that it changes", () => {
    const mesh = new PatchedMesh(service("a"), service("b"), filter([timeout(3, ofA)]));
    mesh.resources();
    const usual = mesh.encodings(() => mesh.resources());
    mesh.load(filter([timeout(4, ofA)]));
    expect(mesh.encodings(() => mesh.resources())).toBe(usual + 1);
    expect(mesh.named("CDS", clusterA)?.["connectTimeout"]).toBe("4s");
  });

  test("proxies share the parts that no patch of theirs can change", () => {
    const mesh = new PatchedMesh(service("a"), filter([timeout(3)], "x"));
    const push = mesh.push();
    const idsOf = (proxy: typeof sidecar, type: string) =>
      mesh.generators
        .filter(({ shortName }) => shortName === type)
        .flatMap(({ families }) => families.flatMap((family) => family.parts(proxy, push, "all")))
        .map((inputs) => JSON.stringify("patches" in inputs ? inputs.patches : undefined));
    expect(idsOf(sidecar, "LDS")).toEqual([undefined, undefined]);
    expect(idsOf(sidecar, "CDS")).toEqual(['[{"filter":"shop/subject","patches":[0]}]', undefined]);
    expect(idsOf(other, "CDS")).toEqual([undefined, undefined]);
  });
});

const added = (name: string, context = "ANY") => ({
  applyTo: "CLUSTER",
  match: { context },
  patch: { operation: "ADD", value: { name, type: "STATIC", load_assignment: { cluster_name: name } } },
});

describe("added resources", () => {
  test("appear once, whichever patches add them", () => {
    const mesh = new PatchedMesh(filter([added("x"), added("x", "SIDECAR_INBOUND"), added("y", "SIDECAR_INBOUND")]));
    const names = mesh.resources().flatMap(({ type, resource }) => (type === "CDS" ? [resource.name] : []));
    expect(names.filter((name) => name === "x" || name === "y")).toEqual(["x", "y"]);
    const reports = patchReports([sidecar], mesh.generators, mesh.push());
    expect(reports.map(({ status }) => status)).toEqual(["matched", "invalid", "matched"]);
  });

  test("do not replace a generated cluster, and take its place after a patch removed it", () => {
    const taken = new PatchedMesh(service("a"), filter([added(clusterA)]));
    expect(taken.named("CDS", clusterA)?.["type"]).toBe("EDS");
    const remove = {
      applyTo: "CLUSTER",
      match: { context: "SIDECAR_OUTBOUND", ...ofA },
      patch: { operation: "REMOVE" },
    };
    const free = new PatchedMesh(service("a"), filter([remove, added(clusterA)]));
    expect(free.named("CDS", clusterA)?.["type"]).toBe("STATIC");
    const inbound = new PatchedMesh(service("a"), filter([added("inbound|80||")]));
    expect(patchReports([sidecar], inbound.generators, inbound.push())[0]?.status).toBe("invalid");
  });
});

describe("reports", () => {
  test("count the proxies with each result, and name fields without effect", () => {
    const patches = [
      timeout(3, ofA),
      timeout(3, { cluster: { service: "none" } }),
      { ...timeout(0, ofA), patch: { operation: "MERGE", value: { respect_dns_ttl: false, no_such_field: 1 } } },
      { applyTo: "BOOTSTRAP", patch: { operation: "MERGE", value: {} } },
    ];
    const mesh = new PatchedMesh(service("a"), filter(patches, "x"));
    const reports = patchReports([sidecar, other], mesh.generators, mesh.push());
    expect(reports.map(({ status, proxies }) => [status, proxies])).toEqual([
      ["matched", { matched: 1, "not matched": 0, invalid: 0 }],
      ["not matched", { matched: 0, "not matched": 1, invalid: 0 }],
      ["matched", { matched: 1, "not matched": 0, invalid: 0 }],
      ["not matched", { matched: 0, "not matched": 1, invalid: 0 }],
    ]);
    expect(reports[0]?.resources).toEqual([`CDS ${clusterA}`]);
    expect(reports[2]?.remarks).toEqual([
      "respect_dns_ttl: a merge ignores the value false",
      "no_such_field: unknown field of envoy.config.cluster.v3.Cluster, ignored",
    ]);
  });

  test("resources of a patch have its filter among their owners", () => {
    const mesh = new PatchedMesh(service("a"), filter([timeout(3, ofA)]));
    const found = mesh
      .resources()
      .find(({ resource }) => resource.name === clusterA && resource.warmedBy !== undefined);
    expect(found?.resource.owners).toContain("EnvoyFilter/shop/subject");
    expect(found?.resource.warmedBy).toBe(clusterA);
  });
});

test("an edited filter rebuilds the parts that use it, and no others", () => {
  const mesh = new PatchedMesh(service("a"), filter([timeout(3, ofA)], "x"));
  const before = mesh.push();
  const family = mesh.generators.find(({ shortName }) => shortName === "CDS")?.families[0];
  const [inputs] = family?.parts(sidecar, before, "all") ?? [];
  const [unpatched] = family?.parts(other, before, "all") ?? [];
  if (family === undefined || inputs === undefined || unpatched === undefined)
    throw new Error("sidecars have clusters");
  const edited = configId("EnvoyFilter", "shop", "subject");
  expect(family.concerns("EnvoyFilter")).toBe(true);
  expect(family.dependencies(inputs, before)(edited)).toBe(true);
  expect(family.dependencies(inputs, before)(configId("EnvoyFilter", "shop", "another"))).toBe(false);
  expect(family.dependencies(unpatched, before)(edited)).toBe(false);
  mesh.load(filter([timeout(4, ofA)], "x"));
  const since = { push: before, changed: new Set([edited]) };
  const { covers, resources } = family.generate({ inputs, push: mesh.push(), since });
  expect(covers).toBe("all");
  const cluster = resources.find(({ name }) => name === clusterA);
  expect(cluster && decodedResource(cluster)["connectTimeout"]).toBe("4s");
});
