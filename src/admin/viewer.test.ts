import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import type { Authentication } from "../transport/credentials/authenticator.ts";
import { viewerOf } from "./viewer.ts";

const remote = { remoteAddress: "10.0.0.9", localAddress: "10.0.0.1" };
const host = "binnacle.istio-system:8080";

const rules = { systemNamespaces: () => ["istio-system", "operators"] };

function viewing(found: Authentication, socket: object = remote) {
  const request = { headers: { host, authorization: "Bearer x" }, socket } as IncomingMessage;
  return viewerOf(request, { ...rules, authenticate: async () => found });
}

function known(...identities: readonly string[]): Authentication {
  return { type: "identified", identities };
}

describe("a remote viewer", () => {
  test.each([
    ["the root namespace", known("spiffe://cluster.local/ns/istio-system/sa/operator")],
    ["a namespace of --debug-namespace", known("spiffe://cluster.local/ns/operators/sa/jane")],
    ["a system namespace in one of its identities", known("spiffe://a/ns/shop/sa/x", "spiffe://a/ns/operators/sa/x")],
  ])("of %s sees everything", async (_, found) => {
    expect(await viewing(found)).toEqual({ type: "system" });
  });

  test("of any other namespace sees that namespace", async () => {
    expect(await viewing(known("spiffe://cluster.local/ns/shop/sa/reviews"))).toEqual({
      type: "namespace",
      namespace: "shop",
    });
  });

  test("that is not a workload sees nothing", async () => {
    expect(await viewing(known("spiffe://cluster.local/workload"))).toMatchObject({ type: "refused", status: 403 });
    expect(await viewing(known())).toMatchObject({ type: "refused", status: 403 });
  });

  test("that is not identified must authenticate", async () => {
    expect(await viewing({ type: "refused", reasons: ["none was sent"] })).toEqual({
      type: "refused",
      status: 401,
      reasons: ["none was sent"],
    });
  });
});

test("a request over loopback with a foreign host name is not local: it may come from another site", async () => {
  const loopback = { remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" };
  const refused: Authentication = { type: "refused", reasons: ["none was sent"] };
  expect(await viewing(refused, loopback)).toMatchObject({ status: 401 });
});
