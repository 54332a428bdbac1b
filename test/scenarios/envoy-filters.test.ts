import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { capturePush } from "../../src/pilot/model/push-context.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { patchEffectsFor, patchReports } from "../../src/pilot/xds/patch-effects.ts";
import { decodedResource } from "../../src/testing/envoy/decoded-resource.ts";
import { LoadedMesh, proxyFrom } from "../golden/generate.ts";

const manager = "envoy.filters.network.http_connection_manager";
const sidecar = proxyFrom({
  id: "sidecar~10.0.0.1~x-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", LABELS: { app: "x" }, ISTIO_VERSION: "1.29.6" },
});
const other = proxyFrom({
  id: "sidecar~10.0.0.2~y-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", LABELS: { app: "y" }, ISTIO_VERSION: "1.29.6" },
});

function service(name: string): object {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name, namespace: "shop" },
    spec: {
      hosts: [`${name}.shop.svc.cluster.local`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      endpoints: [{ address: "10.0.0.1", labels: { app: "x" } }],
    },
  };
}

function filter(patches: readonly object[], selected?: string, name = "subject"): object {
  return {
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    metadata: { name, namespace: "shop" },
    spec: {
      ...(selected !== undefined && { workloadSelector: { labels: { app: selected } } }),
      configPatches: patches,
    },
  };
}

/** A mesh, the work that was done for it, and its resources. */
class PatchedMesh {
  readonly writer = new ProtoWriter();
  readonly generators = createGenerators({ writer: this.writer });
  readonly #mesh = new LoadedMesh();

  constructor(...objects: readonly object[]) {
    this.load(...objects);
  }

  load(...objects: readonly object[]): void {
    const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    this.#mesh.graph.batch(() => this.#mesh.load({ file: "mesh.yaml", text }));
  }

  push() {
    return capturePush(this.#mesh.environment.views(), 1);
  }

  resources(proxy = sidecar) {
    const push = this.push();
    return this.generators.flatMap(({ shortName, families }) =>
      families.flatMap((family) =>
        family
          .parts(proxy, push, "all")
          .flatMap((inputs) => family.generate({ inputs, push }).resources)
          .map((resource) => ({ type: shortName, resource })),
      ),
    );
  }

  named(type: string, name: string, proxy = sidecar): Record<string, JsonValue> | undefined {
    const found = this.resources(proxy).find((each) => each.type === type && each.resource.name === name);
    return found && decodedResource(found.resource);
  }

  encodings(work: () => unknown): number {
    const before = this.writer.encodings;
    work();
    return this.writer.encodings - before;
  }
}

const timeout = (seconds: number, match: object = {}) => ({
  applyTo: "CLUSTER",
  match: { context: "SIDECAR_OUTBOUND", ...match },
  patch: { operation: "MERGE", value: { connect_timeout: `${seconds}s` } },
});
const ofA = { cluster: { service: "a.shop.svc.cluster.local" } };
const clusterA = "outbound|80||a.shop.svc.cluster.local";

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

interface Refusal {
  readonly why: string;
  readonly patch: object;
  readonly type: string;
  readonly resource: string;
  readonly reason: RegExp;
}

const router = { filterChain: { filter: { name: manager, subFilter: { name: "envoy.filters.http.router" } } } };
const lua = {
  name: "lua",
  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua", inline_code: "" },
};

const refusals: readonly Refusal[] = [
  {
    why: "breaks a rule of Envoy's protos",
    patch: { ...timeout(0, ofA), patch: { operation: "MERGE", value: { connect_timeout: "-1s" } } },
    type: "CDS",
    resource: clusterA,
    reason: /connect_timeout: > 0 s/,
  },
  {
    why: "renames a cluster",
    patch: { ...timeout(0, ofA), patch: { operation: "MERGE", value: { name: "x" } } },
    type: "CDS",
    resource: clusterA,
    reason: /name: a patch cannot rename/,
  },
  {
    why: "puts a filter behind the router",
    patch: {
      applyTo: "HTTP_FILTER",
      match: { context: "SIDECAR_OUTBOUND", listener: { name: "0.0.0.0_80", ...router } },
      patch: { operation: "ADD", value: lua },
    },
    type: "LDS",
    resource: "0.0.0.0_80",
    reason: /http_filters\[\d+\]: envoy.filters.http.router is terminal and not the last filter/,
  },
  {
    why: "removes the router",
    patch: {
      applyTo: "HTTP_FILTER",
      match: { context: "SIDECAR_OUTBOUND", listener: { name: "0.0.0.0_80", ...router } },
      patch: { operation: "REMOVE" },
    },
    type: "LDS",
    resource: "0.0.0.0_80",
    reason: /is the last filter and not a terminal one/,
  },
  {
    why: "removes every filter chain",
    patch: {
      applyTo: "FILTER_CHAIN",
      match: { context: "SIDECAR_INBOUND", listener: { name: "virtualInbound" } },
      patch: { operation: "REMOVE" },
    },
    type: "LDS",
    resource: "virtualInbound",
    reason: /filter_chains: is empty/,
  },
  {
    why: "merges a configuration of another type",
    patch: {
      applyTo: "NETWORK_FILTER",
      match: {
        context: "SIDECAR_OUTBOUND",
        listener: { name: "0.0.0.0_80", filterChain: { filter: { name: manager } } },
      },
      patch: { operation: "MERGE", value: lua },
    },
    type: "LDS",
    resource: "0.0.0.0_80",
    reason: /typed_config: has the type envoy.extensions.filters.http.lua.v3.Lua/,
  },
  {
    why: "claims a domain twice",
    patch: {
      applyTo: "VIRTUAL_HOST",
      match: { context: "SIDECAR_OUTBOUND", routeConfiguration: { name: "80" } },
      patch: { operation: "ADD", value: { name: "new", domains: ["a.shop.svc.cluster.local"] } },
    },
    type: "RDS",
    resource: "80",
    reason: /a\.shop\.svc\.cluster\.local is claimed twice/,
  },
];

describe("a patch that Envoy would refuse", () => {
  test.each(refusals)("is left out if it $why, and other patches of the resource stay", (row) => {
    const good = row.type === "CDS" ? timeout(3, ofA) : undefined;
    const mesh = new PatchedMesh(service("a"), filter([...(good === undefined ? [] : [good]), row.patch]));
    const plain = new PatchedMesh(service("a"), filter(good === undefined ? [] : [good], undefined, "good"));
    expect(mesh.named(row.type, row.resource)).toEqual(plain.named(row.type, row.resource));
    const refused = patchEffectsFor(sidecar, mesh.generators, mesh.push()).filter(({ problem }) => problem);
    expect(refused.map(({ type, resource }) => `${type} ${resource}`)).toContain(`${row.type} ${row.resource}`);
    expect(refused.map(({ problem }) => `${problem?.path}: ${problem?.reason}`).join()).toMatch(row.reason);
    const report = patchReports([sidecar], mesh.generators, mesh.push()).at(-1);
    expect(report).toMatchObject({ status: "invalid", proxies: { invalid: 1, matched: 0 } });
  });

  test.each<readonly [string, object, RegExp]>([
    [
      "an unknown type",
      { name: "x", transport_socket: { name: "y", typed_config: { "@type": "a.b/C" } } },
      /transport_socket.typed_config.@type: unknown type C: write it as/,
    ],
    ["a number for a duration", { name: "x", connect_timeout: 5 }, /^connect_timeout: is not valid/],
    ["no name", { type: "STATIC", load_assignment: { cluster_name: "x" } }, /name: is required/],
    ["no endpoints", { name: "x", type: "STRICT_DNS" }, /load_assignment: is required with type STRICT_DNS/],
  ])("is left out whole if it adds a cluster with %s", (_why, value, reason) => {
    const mesh = new PatchedMesh(service("a"), filter([{ applyTo: "CLUSTER", patch: { operation: "ADD", value } }]));
    const plain = new PatchedMesh(service("a"));
    expect(mesh.resources().map(({ resource }) => resource.version)).toEqual(
      plain.resources().map(({ resource }) => resource.version),
    );
    const [report] = patchReports([sidecar], mesh.generators, mesh.push());
    expect(report?.problems.map((each) => `${each.path}: ${each.reason}`).join()).toMatch(reason);
  });

  test("does not take a good patch with it, even if both change the same resource", () => {
    const bad = { ...timeout(0, ofA), patch: { operation: "MERGE", value: { connect_timeout: "-1s" } } };
    const lb = { ...timeout(0, ofA), patch: { operation: "MERGE", value: { lb_policy: "RANDOM" } } };
    const mesh = new PatchedMesh(service("a"), filter([lb, bad, bad]));
    expect(mesh.named("CDS", clusterA)).toMatchObject({ connectTimeout: "10s", lbPolicy: "RANDOM" });
    const reports = patchReports([sidecar], mesh.generators, mesh.push());
    expect(reports.map(({ status }) => status)).toEqual(["matched", "invalid", "invalid"]);
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
