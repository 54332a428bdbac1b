import { create, fromJson, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { resourcesOf } from "../../testing/mcp/mcp-raw-source.ts";
import { istioResource } from "../../testing/mcp/mcp-sink-rig.ts";
import { gateways, rules } from "../../testing/mcp/mcp-source-rig.ts";
import { keyForWireName, readPush, readResources } from "./read-push.ts";

const read = (message: Omit<MessageInitShape<typeof ResourcesSchema>, "$typeName">) =>
  readPush(create(ResourcesSchema, message), travelling(gateways), "mcp://galley");

describe("a push", () => {
  test("has objects by key and versions by name, and the later of two with one name wins", () => {
    const resources = [{ "shop/a": "0" }, { "shop/a": "1", "shop/b": "0" }].flatMap((objects) =>
      resourcesOf(gateways, objects),
    );
    const { objects, versions, removed, rejected } = read({ resources });
    expect(Array.from(objects, ([key, { annotations }]) => [key, annotations["content"]])).toEqual([
      ["shop/a", "1"],
      ["shop/b", "0"],
    ]);
    expect([...versions]).toEqual(resources.slice(1).map(({ metadata }) => [metadata?.name, metadata?.version]));
    expect([removed, rejected]).toEqual([[], []]);
  });

  test("names unreadable resources, and keeps the others", () => {
    const resources = [...resourcesOf(rules, { "shop/x": "0" }), ...resourcesOf(gateways, { "shop/a": "0" })];
    const { objects, versions, rejected } = read({ resources });
    expect([[...objects.keys()], [...versions.keys()]]).toEqual([["shop/a"], ["shop/a"]]);
    const reason = `expected ${travelling(gateways).body.typeUrl}, found ${travelling(rules).body.typeUrl}`;
    expect(rejected).toEqual([{ name: "shop/x", reason }]);
  });

  test("removes keys if it is a delta, and nothing if it is full state", () => {
    const removedResources = ["shop/a", "a", "no/name/at/all"];
    expect(read({ removedResources, incremental: true }).removed).toEqual(["shop/a", "a"]);
    expect(read({ removedResources }).removed).toEqual([]);
  });

  test("of an Istio Galley reads load balancer 0 as round robin, as that Galley did", () => {
    const simple = { host: "a", trafficPolicy: { loadBalancer: { simple: "UNSPECIFIED" } } };
    const message = create(ResourcesSchema, { resources: [istioResource(rules, "shop/a", simple)] });
    const [config] = readPush(message, travelling(rules), "mcp://galley").objects.values();
    const { schema } = travelling(rules).kind;
    const roundRobin = { host: "a", trafficPolicy: { loadBalancer: { simple: "ROUND_ROBIN" } } };
    expect(config?.spec).toEqual(fromJson(schema, roundRobin));
  });

  test("is read from its bytes", () => {
    const bytes = toBinary(ResourcesSchema, create(ResourcesSchema, { nonce: "7" }));
    expect(readResources(bytes).nonce).toBe("7");
  });
});

test("an invalid name has no key", () => {
  expect([keyForWireName("shop/a", travelling(gateways)), keyForWireName("", travelling(gateways))]).toEqual([
    ["shop/a"],
    [],
  ]);
});
