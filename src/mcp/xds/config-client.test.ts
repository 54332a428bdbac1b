import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { asksForConfig, introduceConfigClient, ownMetadata } from "./config-client.ts";

function node(metadata: JsonObject, id = "sidecar~10.0.0.1~a.b~b.svc.cluster.local"): Uint8Array {
  return toBinary(NodeSchema, create(NodeSchema, { id, metadata }));
}

describe("a node", () => {
  test.each<[string, JsonObject, boolean]>([
    ["of a control plane", { ISTIO_VERSION: "65536.65536.65536", GENERATOR: "api" }, true],
    ["of our own", ownMetadata, true],
    ["of a proxyless client", { GENERATOR: "grpc" }, false],
    ["of istioctl", { GENERATOR: "event" }, false],
    ["of an Envoy", { LABELS: { GENERATOR: "api" } }, false],
    ["that lies about its type", { GENERATOR: ["api"] }, false],
    ["that says nothing", {}, false],
  ])("%s requests configuration: %j is %s", (_, metadata, expected) => {
    expect(asksForConfig(node(metadata))).toBe(expected);
  });

  test("has its revision, and whether it resolves short hosts", () => {
    expect(introduceConfigClient(node({ GENERATOR: "api", ISTIO_REVISION: "canary" }))).toMatchObject({
      client: { revision: "canary", takesAsWritten: false },
    });
    expect(introduceConfigClient(node({ ...ownMetadata, ISTIO_REVISION: "" }))).toMatchObject({
      client: { revision: undefined, takesAsWritten: true },
    });
  });

  test("needs an id", () => {
    expect(introduceConfigClient(node({ GENERATOR: "api" }, ""))).toMatchObject({ type: "refused" });
    expect(introduceConfigClient(undefined)).toMatchObject({ type: "refused" });
  });
});
