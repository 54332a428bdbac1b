import { describe, expect, test } from "vitest";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { loggedProxy, proxyIn } from "./logged-proxy.ts";

const id = "sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local";
const plain = proxyWithName(id, {
  NAMESPACE: "shop",
  LABELS: { app: "web" },
  INSTANCE_IPS: "10.0.0.1,fd00::1",
  HTTP10: "1",
});

describe("a proxy in the log", () => {
  test.each([
    ["a sidecar", plain],
    [
      "an Envoy with its extensions",
      { ...plain, extensions: new Set(["envoy.filters.http.b", "envoy.filters.http.a"]) },
    ],
    ["a gRPC client", proxyWithName(id, { GENERATOR: "grpc" })],
    ["a router", proxyWithName(id.replace("sidecar", "router"), { LABELS: { app: "gw" } })],
    ["one with its own settings", proxyWithName(id, { PROXY_CONFIG: { tracing: { sampling: 5 } } })],
    [
      "one with certificates in files",
      proxyWithName(id, {
        SDS_MODE: "files",
        TLS_CERT_CHAIN: "/a.pem",
        TLS_KEY: "/key.pem",
        TLS_ROOT_CERT: "/root.pem",
      }),
    ],
  ])("%s has the same facts again", (_, proxy) => {
    const json = JSON.parse(JSON.stringify(loggedProxy(proxy))) as ReturnType<typeof loggedProxy>;
    expect(proxyIn(json)).toEqual(proxy);
  });

  test("has no identity, and no key, token or password of its metadata", () => {
    const identity = { trustDomain: "secret.example", namespace: "shop", serviceAccount: "web" };
    const metadata = {
      accessToken: "token-1",
      LABELS: { "api-key": "key-2" },
      NOTE: "Bearer abcdefghijklmnop",
      SDS_MODE: "files",
      TLS_CERT_CHAIN: "/a.pem",
      TLS_KEY: "-----BEGIN PRIVATE KEY-----",
      TLS_ROOT_CERT: "/root.pem",
    };
    const text = JSON.stringify(loggedProxy({ ...proxyWithName(id, metadata), identity, keyAccess: "allowed" }));
    const secrets = ["token-1", "key-2", "abcdefghijklmnop", "PRIVATE KEY", "secret.example", "allowed"];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).toContain("web-0.shop");
  });

  test("that has another form is not taken for a proxy", () => {
    const { facts, ...rest } = loggedProxy(plain);
    for (const field of ["type", "interception", "namespace", "labels", "ipAddresses"]) {
      expect(proxyIn({ ...rest, facts: { ...facts, [field]: 7 } })).toBeUndefined();
    }
  });
});
