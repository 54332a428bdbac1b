import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import { HeldCollection } from "./held-collection.ts";

type Versions = Readonly<Record<string, string>>;

test.each<[string, boolean, Versions, readonly string[], Versions]>([
  ["full state adds", false, { a: "1", b: "1", d: "1" }, [], { a: "1", b: "1", d: "1" }],
  ["full state removes all", false, {}, [], {}],
  ["full state replaces", false, { b: "2", d: "1" }, [], { b: "2", d: "1" }],
  ["a difference adds", true, { d: "1" }, [], { a: "1", b: "1", d: "1" }],
  ["a difference updates", true, { a: "2" }, [], { a: "2", b: "1" }],
  ["a difference deletes", true, {}, ["a"], { b: "1" }],
  ["a difference deletes what is not there", true, {}, ["x"], { a: "1", b: "1" }],
  ["a difference does all of it", true, { b: "2", d: "1" }, ["a"], { b: "2", d: "1" }],
])("%s", (_, incremental, versions, removedResources, expected) => {
  const held = new HeldCollection(travelling(gateways), true);
  held.take(
    create(ResourcesSchema),
    new Map([
      ["a", "1"],
      ["b", "1"],
    ]),
    new Set(),
  );
  const message = create(ResourcesSchema, { incremental, removedResources: [...removedResources] });
  held.take(message, new Map(Object.entries(versions)), new Set());
  expect(Object.fromEntries(held.versions)).toEqual(expected);
});
