import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const filter = (spec: string) => objectYaml("networking.istio.io/v1alpha3", "EnvoyFilter", `spec: { ${spec} }`);

const patchOf = (target: string, operation: string, more = "") =>
  filter(`${more} configPatches: [{ applyTo: ${target}, patch: { operation: ${operation}, value: { name: a } } }]`);

describe("a patch", () => {
  test.each([
    ["adds to a list", patchOf("CLUSTER", "ADD"), []],
    ["adds to routes, in vain", patchOf("HTTP_ROUTE", "ADD"), ["IST0153"]],
    ["removes from routes, in vain", patchOf("ROUTE_CONFIGURATION", "REMOVE"), ["IST0154"]],
    ["cannot replace a cluster", patchOf("CLUSTER", "REPLACE"), ["IST0152"]],
    ["replaces a virtual host", patchOf("VIRTUAL_HOST", "REPLACE", "priority: 10,"), []],
    ["depends on the order", patchOf("HTTP_FILTER", "INSERT_BEFORE"), ["IST0151"]],
    ["has a priority", patchOf("HTTP_FILTER", "INSERT_BEFORE", "priority: 10,"), []],
  ])("%s", (_, text, codes) => {
    expect(codesOf("envoyfilter.EnvoyPatchAnalyzer", text)).toEqual(codes);
  });

  test("depends on the order, and on the version of the proxy", () => {
    const one =
      "{ applyTo: HTTP_FILTER, match: { proxy: { proxyVersion: x } }, patch: { operation: ADD, value: { name: a } } }";
    const other = "{ applyTo: HTTP_FILTER, patch: { operation: INSERT_AFTER, value: { name: a } } }";
    expect(codesOf("envoyfilter.EnvoyPatchAnalyzer", filter(`configPatches: [${one}, ${other}]`))).toEqual(["IST0155"]);
  });
});
