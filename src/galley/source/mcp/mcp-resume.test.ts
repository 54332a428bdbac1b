import { describe, expect, test } from "vitest";
import { described } from "../../../testing/mcp/galley-caller.ts";
import { istioResource, McpSinkRig } from "../../../testing/mcp/mcp-sink-rig.ts";
import { rules, virtualServices } from "../../../testing/mcp/mcp-source-rig.ts";
import { emptyGraceMs } from "../empty-guard.ts";

function rule(name: string, version = "v0") {
  return istioResource(rules, name, { host: `${version}.example.com` }, version);
}

function route(name: string, version = "v0") {
  const http = [{ route: [{ destination: { host: "pay.example.com" } }] }];
  return istioResource(virtualServices, name, { hosts: [`${version}.example.com`], http }, version);
}

/** A Galley that has told a sink of two rules, and is gone; its successor is asked for its collections. */
async function left(): Promise<McpSinkRig> {
  const rig = await McpSinkRig.start(rules, virtualServices);
  rig.push({ collection: rules, resources: [rule("shop/a"), rule("shop/b")] });
  rig.push({ collection: virtualServices, resources: [route("shop/x"), route("shop/y")] });
  rig.answers();
  rig.reconnect();
  expect(rig.requests().map(({ initialResourceVersions }) => initialResourceVersions)).toEqual([
    { "shop/a": "v0", "shop/b": "v0" },
    { "shop/x": "v0", "shop/y": "v0" },
  ]);
  return rig;
}

describe("the first push of a collection on a new stream", () => {
  test("is full state if there was none before, even if marked as a delta", async () => {
    const rig = await McpSinkRig.start(rules);
    rig.requests();
    rig.push({ collection: rules, incremental: true, resources: [rule("shop/a")] });
    expect(rig.heard.names).toEqual(["a"]);
    expect(rig.answers()).toEqual(["destinationrules 1 ack delta"]);
  });

  test("is full state when the source repeats an announced version: the missing resources are gone", async () => {
    const rig = await left();
    rig.push({ collection: rules, incremental: true, resources: [rule("shop/a")] });
    expect(rig.heard.names).toEqual(["a", "x", "y"]);
    rig.push({ collection: virtualServices, incremental: true, resources: [route("shop/x", "v1"), route("shop/y")] });
    expect(rig.heard.names).toEqual(["a", "x", "y"]);
    expect(rig.answers()).toEqual(["destinationrules 1 ack delta", "virtualservices 2 ack delta"]);
  });

  test("is a delta when the source marks it as resumed", async () => {
    const rig = await left();
    rig.push({ collection: rules, incremental: true, resumed: true });
    rig.push({ collection: virtualServices, incremental: true, resumed: true, resources: [route("shop/x", "v1")] });
    expect(rig.heard.names).toEqual(["a", "b", "x", "y"]);
    expect(rig.answers()).toEqual(["destinationrules 1 ack delta", "virtualservices 2 ack delta"]);
  });

  test("is a delta when it removes something, because the source has read our versions", async () => {
    const rig = await left();
    rig.push({ collection: rules, incremental: true, removedResources: ["shop/b"] });
    expect(rig.heard.names).toEqual(["a", "x", "y"]);
  });

  test.each([
    ["is empty", []],
    ["holds only what changed", [rule("shop/a", "v1")]],
  ])("is requested again as full state when it %s, because its base is unknown", async (_, changed) => {
    const rig = await left();
    const { length } = rig.heard.events;
    rig.push({ collection: rules, incremental: true, resources: changed });
    expect(rig.heard.names).toEqual(["a", "b", "x", "y"]);
    expect(rig.answers()).toEqual(["destinationrules 1 ack", "destinationrules subscribes"]);
    rig.push({ collection: virtualServices, resources: [route("shop/x"), route("shop/y")] });
    expect(rig.heard.events.slice(length).map(described)).toEqual([]);
    rig.push({ collection: rules, resources: changed });
    rig.clock.advance(emptyGraceMs);
    expect(rig.heard.names).toEqual([...changed.map(() => "a"), "x", "y"]);
    expect(rig.heard.events.at(-1)?.type).toBe("fresh");
    expect(rig.answers()).toEqual(["virtualservices 2 ack delta", "destinationrules 3 ack delta"]);
  });

  test("is requested again only once, even from a source that marks everything as a delta", async () => {
    const rig = await left();
    rig.push({ collection: rules, incremental: true });
    rig.push({ collection: rules, incremental: true });
    rig.clock.advance(emptyGraceMs);
    expect(rig.heard.names).toEqual(["x", "y"]);
  });

  test("is the only one with this check: later deltas omit unchanged resources", async () => {
    const rig = await left();
    rig.push({ collection: rules, resources: [rule("shop/a"), rule("shop/b")] });
    rig.push({ collection: rules, incremental: true, resources: [rule("shop/a", "v1")] });
    expect(rig.heard.names).toEqual(["a", "b", "x", "y"]);
  });
});
