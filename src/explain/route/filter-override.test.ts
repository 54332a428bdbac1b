import { create } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { FilterConfigSchema, RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RBACPerRouteSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { type FilterLevel, overrideOf } from "./filter-override.ts";

const filter = { name: "rbac", disabled: false };
const settings = anyPack(RBACPerRouteSchema, create(RBACPerRouteSchema));
const denying = anyPack(RBACPerRouteSchema, create(RBACPerRouteSchema, { rbac: {} }));

function switched(disabled: boolean): Any {
  return anyPack(FilterConfigSchema, create(FilterConfigSchema, { disabled, ...(!disabled && { config: {} }) }));
}

/** Levels with these settings for the filter, the most specific first. */
function levels(...configs: readonly (Any | undefined)[]): readonly FilterLevel[] {
  return configs.map((config, index) => ({
    name: `level ${index}`,
    configs: config === undefined ? {} : { [filter.name]: config },
    place: { type: "route", resource: "80", path: "" },
  }));
}

/** A route with a share of 1 for each cluster, or 0 for a cluster without weight. */
function weighted(...clusters: readonly { readonly config?: Any; readonly weight?: number }[]) {
  const entries = clusters.map(({ config, weight = 1 }, index) => ({
    name: `cluster ${index}`,
    weight,
    typedPerFilterConfig: config === undefined ? {} : { [filter.name]: config },
  }));
  return create(RouteSchema, {
    action: {
      case: "route",
      value: { clusterSpecifier: { case: "weightedClusters", value: { clusters: entries } } },
    },
  });
}

test("settings of another filter, or of a name of Object.prototype, change nothing", () => {
  expect(overrideOf({ ...filter, name: "other" }, undefined, levels(settings))).toEqual({ type: "none" });
  expect(overrideOf({ ...filter, name: "constructor" }, undefined, levels(settings))).toEqual({ type: "none" });
});

test("the most specific settings count, and a bare switch has none", () => {
  expect(overrideOf(filter, undefined, levels(undefined, settings, denying))).toMatchObject({ config: settings });
  expect(overrideOf(filter, undefined, levels(switched(false), denying))).toMatchObject({ config: denying });
});

test("the most specific switch counts", () => {
  expect(overrideOf(filter, undefined, levels(switched(true), settings))).toMatchObject({ type: "off" });
  expect(overrideOf({ ...filter, disabled: true }, undefined, levels())).toEqual({ type: "off", level: undefined });
  expect(overrideOf({ ...filter, disabled: true }, undefined, levels(switched(false)))).toEqual({ type: "none" });
});

test("clusters with different settings leave the result to chance", () => {
  const route = weighted({ config: settings }, { config: denying });
  expect(overrideOf(filter, route, levels(undefined))).toEqual({ type: "chance" });
  expect(overrideOf(filter, weighted({ config: settings }, {}), levels(denying))).toEqual({ type: "chance" });
});

test("clusters with the same settings count before the route, clusters without weight do not count", () => {
  const same = weighted({ config: denying }, { config: denying });
  expect(overrideOf(filter, same, levels(settings))).toMatchObject({ type: "config", config: denying });
  const one = weighted({ config: denying }, { config: settings, weight: 0 });
  expect(overrideOf(filter, one, levels(settings))).toMatchObject({ type: "config", config: denying });
});
