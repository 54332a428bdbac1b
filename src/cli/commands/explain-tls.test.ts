import { describe, expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

const agent = ["--meta", "SDS_MODE=agent"];

/** A service on every kind of port, whose only workload speaks mesh mTLS. */
const mesh = `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: app, namespace: shop}
spec:
  hosts: [app.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 90, name: tcp, protocol: TCP}]
  endpoints: [{address: 10.0.0.1, labels: {app: app}, serviceAccount: app}]
`;

function policy(mode: string): string {
  return `---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: ${mode}}}
`;
}

function rule(tls: string): string {
  return `---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: app, namespace: shop}
spec: {host: app.shop.svc.cluster.local, trafficPolicy: {tls: ${tls}}}
`;
}

async function call(input: string, ...args: readonly string[]) {
  const from = ["--from", "sidecar~client-0.shop"];
  return await runCommand(["explain", "-", ...from, "http://app.shop.svc.cluster.local/", ...args], { input });
}

async function outcome(input: string, ...args: readonly string[]) {
  const { code, stdout } = await call(input, ...args, "-o", "json");
  const found = JSON.parse(stdout).outcome;
  return { code, type: found.type, reason: found.reason ?? "" };
}

describe("explain follows TLS to the destination", () => {
  test.each([
    ["no rule", "", "PERMISSIVE", []],
    ["no rule", "", "PERMISSIVE", agent],
    ["no rule", "", "STRICT", agent],
    ["no rule", "", "DISABLE", agent],
    ["DISABLE", "{mode: DISABLE}", "PERMISSIVE", agent],
    ["ISTIO_MUTUAL", "{mode: ISTIO_MUTUAL}", "STRICT", agent],
  ])("%s is admitted (%s) by %s, from a proxy with %j", async (_, tls, mode, meta) => {
    const input = `${mesh}${policy(mode)}${tls === "" ? "" : rule(tls)}`;
    expect(await outcome(input, ...meta)).toEqual({ code: 0, type: "forwarded", reason: "" });
  });

  test.each([
    ["", "STRICT", [], /refused by sidecar app\.shop: no filter chain .* takes plaintext/u],
    ["{mode: DISABLE}", "STRICT", agent, /takes plaintext .*PeerAuthentication shop\/default/u],
    ["{mode: SIMPLE}", "STRICT", agent, /requires a client certificate/u],
    ["{mode: SIMPLE}", "PERMISSIVE", agent, /no filter chain .* takes TLS/u],
    ["{mode: ISTIO_MUTUAL}", "DISABLE", agent, /serves plaintext, and the client speaks TLS/u],
    ["{mode: ISTIO_MUTUAL}", "PERMISSIVE", [], /this proxy lacks the certificates/u],
    [
      "{mode: ISTIO_MUTUAL, subjectAltNames: [spiffe://x/ns/y/sa/z]}",
      "STRICT",
      agent,
      /certificate is for spiffe:\/\/cluster\.local\/ns\/shop\/sa\/app, and only spiffe:\/\/x\/ns\/y\/sa\/z/u,
    ],
  ])("rule %j fails at %s, from a proxy with %j", async (tls, mode, meta, reason) => {
    const input = `${mesh}${policy(mode)}${tls === "" ? "" : rule(tls)}`;
    expect(await outcome(input, ...meta)).toEqual({
      code: 1,
      type: "refused",
      reason: expect.stringMatching(reason),
    });
  });

  test("ISTIO_MUTUAL fails at a workload without a sidecar", async () => {
    const bare = mesh.replace(", serviceAccount: app", "");
    const { code, reason } = await outcome(`${bare}${rule("{mode: ISTIO_MUTUAL}")}`, ...agent);
    expect(code).toBe(1);
    expect(reason).toContain("fails the handshake: mutual TLS of the mesh is sent, and no sidecar terminates it");
    expect(await outcome(bare, ...agent)).toMatchObject({ code: 0, type: "forwarded" });
  });

  test.each([
    ["", "STRICT", [], true],
    ["{mode: ISTIO_MUTUAL}", "PERMISSIVE", [], true],
    ["", "STRICT", ["--meta", "SDS_MODE=none"], false],
    ["", "PERMISSIVE", [], false],
    ["{mode: ISTIO_MUTUAL, subjectAltNames: [spiffe://x/ns/y/sa/z]}", "STRICT", [], false],
    ["{mode: SIMPLE}", "STRICT", agent, false],
  ])(
    "rule %j at %s with %j: a hint at SDS_MODE=agent appears (%s) where it matters",
    async (tls, mode, meta, hinted) => {
      const { stderr } = await call(`${mesh}${policy(mode)}${tls === "" ? "" : rule(tls)}`, ...meta);
      expect(stderr.includes("--meta SDS_MODE=agent")).toBe(hinted);
    },
  );

  test.each([agent, []])("trust in a rule's own CA is unknown without files, with %j", async (...meta) => {
    const own = mesh.replace(", serviceAccount: app", "");
    const tls = rule("{mode: SIMPLE, caCertificates: /nowhere/ca.pem}");
    const { code, stdout } = await call(`${own}${tls}`, ...meta);
    expect(code).toBe(0);
    expect(stdout).toContain("unknown: trust in /nowhere/ca.pem");
    const any = rule("{mode: SIMPLE, caCertificates: /nowhere/ca.pem, insecureSkipVerify: true}");
    expect((await call(`${own}${any}`, ...meta)).stdout).not.toContain("unknown: ");
    expect((await call(`${own}${rule("{mode: SIMPLE}")}`, ...meta)).stdout).not.toContain("unknown: ");
  });

  test("the text names the failure of each endpoint", async () => {
    const { stdout } = await call(`${mesh}${policy("STRICT")}`);
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain(
      "→ 10.0.0.1:80 (plaintext) is refused by sidecar app.shop: no filter chain of virtualInbound takes plaintext",
    );
  });

  test("passed-through TLS arrives unchanged", async () => {
    const url = "https://app.shop.svc.cluster.local:90/";
    const from = ["explain", "-", "--from", "sidecar~client-0.shop", ...agent, url];
    expect(await runCommand(from, { input: `${mesh}${policy("PERMISSIVE")}` })).toMatchObject({ code: 0 });
    const plain = `${mesh}${policy("STRICT")}${rule("{mode: DISABLE}")}`;
    const { code, stdout } = await runCommand(from, { input: plain });
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain("requires a client certificate");
  });
});

/** A gateway for one host with these TLS settings. */
function gateway(tls: string): string {
  return `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: shop}
spec:
  selector: {app: gw}
  servers: [{port: {number: 443, name: https, protocol: HTTPS}, hosts: [shop.example.com], tls: ${tls}}]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: shop}
spec: {hosts: [shop.example.com], gateways: [public], http: [{directResponse: {status: 200}}]}
`;
}

async function ask(tls: string, url: string) {
  const args = ["explain", "-", "--from", "router~gw-0.shop", url];
  const { code, stdout } = await runCommand(args, { input: gateway(tls) });
  return { code, text: stdout.replaceAll(/\s+/gu, " ") };
}

describe("explain at a gateway", () => {
  const files = "serverCertificate: /a, privateKey: /b";

  test.each([
    [
      "{mode: SIMPLE, credentialName: shop-cert}",
      "https://shop.example.com/",
      /needs secret kubernetes:\/\/shop-cert/u,
    ],
    [`{mode: SIMPLE, ${files}}`, "http://shop.example.com:443/", /takes plaintext on port 443/u],
    [
      `{mode: SIMPLE, ${files}}`,
      "https://other.example.com/",
      /takes TLS for other\.example\.com .*shop\.example\.com/u,
    ],
    [`{mode: MUTUAL, ${files}, caCertificates: /c}`, "https://shop.example.com/", /requires a client certificate/u],
  ])("%s fails for %s, with the reason", async (tls, url, reason) => {
    expect(await ask(tls, url)).toEqual({ code: 1, text: expect.stringMatching(reason) });
  });

  test("TLS with certificate files is admitted", async () => {
    expect(await ask(`{mode: SIMPLE, ${files}}`, "https://shop.example.com/")).toMatchObject({ code: 0 });
  });
});
