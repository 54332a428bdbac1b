import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { GrpcStatus, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import { type AdmissionRules, admit } from "./admission.ts";

const reviews = "spiffe://cluster.local/ns/shop/sa/reviews";
const plain: Peer = { address: "127.0.0.1:1" };
const known: Peer = { ...plain, identities: [reviews] };

function nodeOf(metadata: Record<string, string>, id = "sidecar~10.0.0.1~reviews-0.shop~shop.svc.cluster.local") {
  return toBinary(NodeSchema, create(NodeSchema, { id, metadata }));
}

function introduced(peer: Peer, node: Uint8Array | undefined, rules: Partial<AdmissionRules> = {}) {
  const admission = admit(peer, {
    ready: true,
    identityCheck: true,
    maxNodeBytes: 1_000,
    plaintextSecrets: false,
    ...rules,
  });
  return admission.type === "refused" ? admission : admission.introduce(node);
}

const own = nodeOf({ NAMESPACE: "shop", SERVICE_ACCOUNT: "reviews" });
const foreign = nodeOf({ NAMESPACE: "bank", SERVICE_ACCOUNT: "reviews" });

describe("a stream", () => {
  test("with a node that is too large is refused before the node is decoded", () => {
    expect(introduced(plain, Buffer.alloc(1_001, 0xff))).toEqual({
      type: "refused",
      status: GrpcStatus.RESOURCE_EXHAUSTED,
      message: "a node of 1001 bytes is larger than the limit of 1000 bytes (--max-node-bytes)",
    });
  });

  test("with a node as large as the limit is accepted", () => {
    expect(introduced(plain, own, { maxNodeBytes: own.length })).toMatchObject({ type: "client" });
  });

  test("gets a retry error while there is nothing to serve", () => {
    expect(introduced(plain, own, { ready: false })).toEqual({
      type: "refused",
      status: GrpcStatus.UNAVAILABLE,
      message: "not ready: sources are not synced yet",
    });
  });

  test("without authentication uses the identity of its node, and has no SPIFFE identity", () => {
    const introduction = introduced(plain, foreign);
    expect(introduction).toMatchObject({ type: "client", client: { namespace: "bank" } });
    expect(introduction).not.toHaveProperty("client.identity");
  });

  test("of an authenticated client carries its identity", () => {
    const identity = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "reviews" };
    expect(introduced(known, own)).toMatchObject({ type: "client", client: { namespace: "shop", identity } });
  });

  test("is compared with the namespace of its node's domain when the node names none", () => {
    expect(introduced(known, nodeOf({}))).toMatchObject({ type: "client" });
    const elsewhere = nodeOf({}, "sidecar~10.0.0.1~reviews-0.bank~bank.svc.cluster.local");
    expect(introduced(known, elsewhere)).toMatchObject({ status: GrpcStatus.PERMISSION_DENIED });
    const named = nodeOf({ NAMESPACE: "shop" }, "sidecar~10.0.0.1~reviews-0.shop~bank.svc.cluster.local");
    expect(introduced(known, named)).toMatchObject({ type: "client", client: { namespace: "shop" } });
  });

  test("of a client with another identity than its node is denied", () => {
    expect(introduced(known, foreign)).toEqual({
      type: "refused",
      status: GrpcStatus.PERMISSION_DENIED,
      message: `authorization failed: known as ${reviews}, which is not the node's namespace bank and service account reviews`,
    });
  });

  test("may claim any node identity where identity checks are disabled", () => {
    expect(introduced(known, foreign, { identityCheck: false })).toMatchObject({ type: "client" });
  });

  test.each([
    ["no node", undefined, "missing node information"],
    ["a node without an id", nodeOf({}, ""), "missing node id"],
    ["a node that cannot be read", Buffer.from("nonsense"), "not a valid envoy.config.core.v3.Node"],
  ])("with %s is refused before its identity is compared", (_, node, words) => {
    expect(introduced(known, node)).toMatchObject({
      status: GrpcStatus.INVALID_ARGUMENT,
      message: expect.stringContaining(words) as string,
    });
  });
});

test.each<[string, Peer, boolean, string]>([
  ["over TLS with an identity", { ...known, encrypted: true }, false, "allowed"],
  ["over TLS without an identity", { ...plain, encrypted: true }, false, "not-authenticated"],
  ["over plaintext with a token", known, false, "not-encrypted"],
  ["over plaintext on this machine", plain, false, "not-encrypted"],
  ["over plaintext on this machine, if allowed", plain, true, "allowed"],
  ["over plaintext from another machine, if allowed", { address: "10.0.0.1:1" }, true, "not-encrypted"],
  [
    "over TLS without an identity from another machine",
    { address: "10.0.0.1:1", encrypted: true },
    true,
    "not-authenticated",
  ],
])("private keys %s", (_, peer, plaintextSecrets, keyAccess) => {
  expect(introduced(peer, own, { plaintextSecrets })).toMatchObject({ type: "client", client: { keyAccess } });
});
