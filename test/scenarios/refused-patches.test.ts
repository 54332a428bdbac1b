import { describe, expect, test } from "vitest";
import { patchEffectsFor, patchReports } from "../../src/pilot/xds/patch-effects.ts";
import { clusterA, filter, ofA, PatchedMesh, service, sidecar, timeout } from "./envoy-filters/patched-mesh.ts";

const manager = "envoy.filters.network.http_connection_manager";

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
