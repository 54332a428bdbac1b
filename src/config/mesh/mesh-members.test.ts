import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { meshMembers } from "./mesh-members.ts";

test("a mesh has the members that its configuration names", () => {
  const spec = create(MeshConfigSchema, {
    trustDomain: "shop.example",
    trustDomainAliases: ["old.example"],
    rootNamespace: "operators",
  });
  expect(meshMembers([{ ...fakeConfig({ name: "mesh" }), spec }])).toEqual({
    trustDomains: ["shop.example", "old.example"],
    rootNamespace: "operators",
  });
});

test("a mesh without a configuration, or with an empty one, has the members of Istio's defaults", () => {
  const defaults = { trustDomains: ["cluster.local"], rootNamespace: "istio-system" };
  expect(meshMembers([])).toEqual(defaults);
  const spec = create(MeshConfigSchema);
  expect(meshMembers([{ ...fakeConfig({ name: "mesh" }), spec }])).toEqual(defaults);
});
