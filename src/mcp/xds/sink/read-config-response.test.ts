import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { readConfigResponse } from "./read-config-response.ts";

const typeUrl = "networking.istio.io/v1/Gateway";
const any = { typeUrl: "type.googleapis.com/istio.mcp.v1alpha1.Resource", value: Uint8Array.of(1) };
const controlPlane = { identifier: JSON.stringify({ Info: { version: "1.13.9" } }) };

test("a SotW response has resources without names, and removes none by name", () => {
  const init = { typeUrl, versionInfo: "v", nonce: "n", resources: [any], controlPlane };
  const bytes = toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, init));
  expect(readConfigResponse(bytes, "sotw")).toEqual({
    typeUrl,
    version: "v",
    nonce: "n",
    resources: [{ name: undefined, version: "", ...any }],
    age: "before-1.14",
    removed: [],
  });
});

test("a delta response has resources with names and versions, and the names of removed resources", () => {
  const bytes = toBinary(
    DeltaDiscoveryResponseSchema,
    create(DeltaDiscoveryResponseSchema, {
      typeUrl,
      systemVersionInfo: "v",
      nonce: "n",
      resources: [{ name: "shop/a", version: "1", resource: any }, { name: "shop/b" }],
      removedResources: ["shop/c"],
      controlPlane,
    }),
  );
  expect(readConfigResponse(bytes, "delta")).toEqual({
    typeUrl,
    version: "v",
    nonce: "n",
    resources: [
      { name: "shop/a", version: "1", ...any },
      { name: "shop/b", version: "", typeUrl: "", value: new Uint8Array() },
    ],
    age: "before-1.14",
    removed: ["shop/c"],
  });
});

test("a server without a version uses the current API", () => {
  expect([readConfigResponse(new Uint8Array(), "sotw").age, readConfigResponse(new Uint8Array(), "delta").age]).toEqual(
    ["today", "today"],
  );
});
