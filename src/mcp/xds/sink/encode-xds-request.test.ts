import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { encodeXdsRequest, type XdsRequestFields } from "./encode-xds-request.ts";

const says: XdsRequestFields = { typeUrl: "networking.istio.io/v1/Gateway", nonce: "7", version: "2026/1" };
const node = { id: "sidecar~127.0.0.1~a.b~b.svc.cluster.local", metadata: { GENERATOR: "api" } };
const nack = { code: 3, message: "no", rejected: [{ name: "shop/a", reason: "no" }] };
const sotw = (more: Partial<XdsRequestFields> = {}) =>
  fromBinary(DiscoveryRequestSchema, encodeXdsRequest({ ...says, ...more }, "sotw"));
const delta = (more: Partial<XdsRequestFields> = {}) =>
  fromBinary(DeltaDiscoveryRequestSchema, encodeXdsRequest({ ...says, ...more }, "delta"));

test("a SotW request has its type, the answered nonce and the last accepted version", () => {
  expect(sotw()).toMatchObject({ typeUrl: says.typeUrl, responseNonce: "7", versionInfo: "2026/1" });
});

test("a delta request has its type, the answered nonce and the held versions", () => {
  const held = new Map([["shop/a", "1"]]);
  expect(delta({ held })).toMatchObject({
    typeUrl: says.typeUrl,
    responseNonce: "7",
    initialResourceVersions: { "shop/a": "1" },
  });
  expect(delta().initialResourceVersions).toEqual({});
});

test("SotW and delta requests have a node only if one is given, and it names this project", () => {
  for (const encode of [sotw, delta]) {
    expect(encode({ node }).node).toMatchObject({ ...node, userAgentName: "binnacle" });
    expect(encode().node).toBeUndefined();
  }
});

test("SotW and delta requests carry a NACK with a code, a reason and the rejected objects", () => {
  for (const encode of [sotw, delta]) {
    expect(encode({ nack }).errorDetail).toMatchObject({ code: 3, message: "no", details: [{}] });
    expect(encode().errorDetail).toBeUndefined();
  }
});
