import { create, fromJson, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { assert } from "../../../lib/assert.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { gateways } from "../../../testing/mcp/mcp-source-rig.ts";
import { envelope, resource } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import { EnvelopeError } from "../../envelope/envelope-error.ts";
import { configType } from "../config-types.ts";
import { openResource } from "./open-resource.ts";
import type { SentResource } from "./read-config-response.ts";

const gatewayType = "networking.istio.io/v1/Gateway";
const meshType = "core/v1alpha1/MeshConfig";
const meshMessage = "type.googleapis.com/istio.mesh.v1alpha1.MeshConfig";

function open(typeUrl: string, sent: Omit<SentResource, "version">) {
  const type = configType(typeUrl);
  assert(type !== undefined, typeUrl);
  return openResource({ ...sent, version: "" }, type, { sourceName: "xds://istiod", age: "today" });
}

/** The resource and the reason of what is thrown. */
function refusal(typeUrl: string, sent: Omit<SentResource, "version">): readonly string[] {
  try {
    open(typeUrl, sent);
  } catch (thrown) {
    assert(thrown instanceof EnvelopeError, "nothing else is thrown");
    return [thrown.resource, thrown.reason];
  }
  return [];
}

describe("the resource of an object", () => {
  test("is opened under its own name, which the protocol wrapper may repeat", () => {
    const { typeUrl, value } = resource(gateways, "shop/a", "content");
    for (const name of [undefined, "shop/a"]) {
      expect(open(gatewayType, { name, typeUrl, value })).toMatchObject({
        name: "shop/a",
        config: { namespace: "shop", name: "a", origin: { source: "xds://istiod" } },
      });
    }
  });

  test("is refused under a different name", () => {
    const { typeUrl, value } = resource(gateways, "shop/a");
    expect(refusal(gatewayType, { name: "shop/b", typeUrl, value })).toEqual([
      "shop/b",
      'the resource inside is named "shop/a"',
    ]);
  });

  test.each([
    ["shop/a", "shop/a"],
    [undefined, ""],
  ])("without an envelope is refused with the name %j", (name, told) => {
    const value = Uint8Array.of(0xff);
    expect(refusal(gatewayType, { name, typeUrl: meshMessage, value })).toEqual([
      told,
      `expected ${envelope}, found ${meshMessage}`,
    ]);
    expect(refusal(gatewayType, { name, typeUrl: envelope, value })).toEqual([told, "no envelope of a resource"]);
  });

  test("without metadata is refused, and has no name", () => {
    const value = toBinary(ResourceSchema, create(ResourceSchema));
    expect(refusal(gatewayType, { name: undefined, typeUrl: envelope, value })).toEqual(["", "there is no metadata"]);
  });
});

describe("the mesh configuration", () => {
  const { schema } = travelling("istio/mesh/v1alpha1/MeshConfig").kind;
  const value = toBinary(schema, fromJson(schema, { ingressClass: "own" }));

  test("has no envelope, and is the only object, named mesh", () => {
    const { name, config } = open(meshType, { name: undefined, typeUrl: meshMessage, value });
    expect(name).toBe("");
    expect(config).toEqual({
      kind: "MeshConfig",
      apiVersion: "mesh.istio.io/v1alpha1",
      namespace: "",
      name: "mesh",
      labels: {},
      annotations: {},
      createdAt: 0,
      origin: { source: "xds://istiod", reference: "xds://istiod", locate: expect.any(Function) },
      spec: expect.objectContaining({ ingressClass: "own" }),
      version: expect.stringMatching(/^[0-9a-f]{16}$/u),
    });
    expect(config.origin.locate("spec")).toBeUndefined();
  });

  test("keeps the name in the protocol wrapper", () => {
    expect(open(meshType, { name: "default", typeUrl: meshMessage, value }).name).toBe("default");
  });

  test.each([
    ["default", "default"],
    [undefined, ""],
  ])("is refused with the name %j if it is another message, or none", (name, told) => {
    expect(refusal(meshType, { name, typeUrl: envelope, value })).toEqual([
      told,
      `expected ${meshMessage}, found ${envelope}`,
    ]);
    const [resourceName, reason] = refusal(meshType, { name, typeUrl: meshMessage, value: Uint8Array.of(0xff) });
    expect([resourceName, reason]).toEqual([told, expect.stringContaining(`this is no ${meshMessage}: `)]);
  });
});
