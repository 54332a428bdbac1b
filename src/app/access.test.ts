import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { noCertificate } from "../transport/credentials/client-certificate.ts";
import { accessOf } from "./access.ts";
import { LogScopes } from "./log/log-scopes.ts";
import { defaultOptions, type Options } from "./options/options.ts";

function accessWith(settings: Partial<Options>) {
  const options = { ...defaultOptions(), ...settings };
  const logs = new LogScopes(new RecordingLogger(), options.logLevel);
  return accessOf({ options, clock: new FakeClock(), logs }, new Map());
}

const shown = { certificate: noCertificate, headers: { authorization: "Bearer x" } };

describe("access", () => {
  test("without an issuer accepts client certificates only", async () => {
    const { authenticate, components } = accessWith({});
    expect(components).toEqual([]);
    expect(await authenticate(shown)).toEqual({
      type: "refused",
      reasons: ["client certificate: none was shown"],
    });
    const reviews = "spiffe://cluster.local/ns/shop/sa/reviews";
    expect(await authenticate({ ...shown, certificate: { type: "verified", uris: [reviews] } })).toEqual({
      type: "identified",
      identities: [reviews],
    });
  });

  test("with an issuer also accepts its tokens", async () => {
    const { authenticate, components } = accessWith({ jwtIssuer: "https://issuer.example", jwtJwks: "/nowhere/jwks" });
    expect(components.map(({ name }) => name)).toEqual(["jwt-jwks"]);
    expect(await authenticate(shown)).toMatchObject({
      reasons: [expect.any(String), expect.stringContaining("token of https://issuer.example: ")],
    });
    await expect(components[0]?.start()).rejects.toThrow(/^--jwt-jwks: .*\/nowhere\/jwks/);
  });

  test("refuses --jwt-jwks without an issuer", () => {
    expect(() => accessWith({ jwtJwks: "jwks.json" })).toThrow("--jwt-jwks needs --jwt-issuer");
  });

  test("treats the root namespace and --debug-namespace as system namespaces", () => {
    expect(accessWith({ debugNamespaces: ["operators"] }).viewers.systemNamespaces()).toEqual([
      "istio-system",
      "operators",
    ]);
  });

  test.each([
    ["an identity of the root namespace", ["spiffe://a/ns/istio-system/sa/x"], "10.0.0.9:1", true],
    ["an identity of another namespace, even on this machine", ["spiffe://a/ns/shop/sa/x"], "127.0.0.1:1", false],
    ["an identity that is no workload", ["spiffe://a/x"], "127.0.0.1:1", false],
    ["no identity, on this machine", undefined, "127.0.0.1:1", true],
    ["no identity, on this machine, over IPv6", undefined, "[::1]:1", true],
    ["no identity, on another machine", undefined, "10.0.0.9:1", false],
  ])("decides over gRPC who is an operator: %s", (_, identities, address, expected) => {
    expect(accessWith({}).isOperator({ address, ...(identities && { identities }) })).toBe(expected);
  });

  test("does not treat a stream that a local proxy forwarded as an operator's", () => {
    expect(accessWith({}).isOperator({ address: "127.0.0.1:1", forwarded: true })).toBe(false);
  });
});
