import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { coreYaml, pairOf } from "./support/tls/secret-yaml.ts";

interface Files {
  readonly shown: string;
  readonly key: string;
  readonly trusted: string;
}

/** A client whose rule has files of its own, and a router at the other end that has others. */
function mesh(client: Files, server: Files): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: gw, namespace: shop}
spec:
  hosts: [gw.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 443, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, labels: {app: gw}}]
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: gw, namespace: shop}
spec:
  host: gw.shop.svc.cluster.local
  trafficPolicy:
    tls: {mode: MUTUAL, sni: shop.example.com, clientCertificate: ${client.shown}, privateKey: ${client.key},
      caCertificates: ${client.trusted}}
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  selector: {app: gw}
  servers:
    - port: {number: 443, name: https, protocol: HTTPS}
      hosts: ["*"]
      tls: {mode: MUTUAL, serverCertificate: ${server.shown}, privateKey: ${server.key}, caCertificates: ${server.trusted}}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: shop}
spec: {hosts: ["*"], gateways: [edge], http: [{directResponse: {status: 200}}]}
`;
}

async function ask(input: string) {
  const from = ["--from", "sidecar~client-0.shop", "--meta", "SDS_MODE=agent"];
  const { code, stdout } = await runCommand(["explain", "-", ...from, "http://gw.shop.svc.cluster.local:443/"], {
    input,
  });
  return { code, text: stdout.replaceAll(/\s+/gu, " ") };
}

/** A gateway whose certificate, authorities and revoked certificates are in a Secret. */
function secretMesh(server: IssuedFiles, revocations: string): string {
  const data = { ...pairOf(server), "ca.crt": readFileSync(server.rootCertificates, "utf8"), "ca.crl": revocations };
  return `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  selector: {app: gw}
  servers:
    - port: {number: 443, name: https, protocol: HTTPS}
      hosts: ["*"]
      tls: {mode: MUTUAL, credentialName: edge}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: shop}
spec: {hosts: ["*"], gateways: [edge], http: [{directResponse: {status: 200}}]}
---
${coreYaml("Secret", "edge", { stringData: data }, "shop")}`;
}

test("explain reads the authorities and revoked certificates of a Secret in the directory", async () => {
  using ours = await TestAuthority.create();
  using theirs = await TestAuthority.create();
  const [server, good, revoked] = [
    await ours.issueHost("shop.example.com"),
    await ours.issue("shop", "good"),
    await ours.issue("shop", "revoked"),
  ];
  const stranger = await theirs.issue("shop", "stranger");
  const input = secretMesh(server, await ours.revoke(revoked));
  const ask = async (...flags: readonly string[]) => {
    const args = ["explain", "-", "--from", "router~gw-0.shop", "--label", "app=gw", ...flags];
    const { code, stdout } = await runCommand([...args, "https://shop.example.com/"], { input });
    return { code, text: stdout.replaceAll(/\s+/gu, " ") };
  };
  const as = ({ certificateChain }: IssuedFiles) => ask("--client-certificate", certificateChain);

  expect(await as(good)).toEqual({ code: 0, text: expect.not.stringMatching(/not evaluated|unknown/u) });
  expect(await as(revoked)).toMatchObject({ code: 1, text: expect.stringContaining("is revoked by an authority in") });
  expect(await as(stranger)).toMatchObject({ code: 1, text: expect.stringContaining("is not signed by an authority") });
  expect(await ask()).toMatchObject({ code: 1, text: expect.stringContaining("requires a client certificate") });
});

test("explain says that it does not evaluate trust in a client whose certificate it does not know", async () => {
  const input = `apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;
  const node = ["--from", "sidecar~web-0.shop", "--meta", "SDS_MODE=agent", "--meta", "INTERCEPTION_MODE=REDIRECT"];
  const caller = ["--inbound", "--principal", "spiffe://cluster.local/ns/shop/sa/web"];
  const { stdout } = await runCommand(["explain", "-", ...node, ...caller, "http://10.0.0.1:80/"], { input });
  expect(stdout.replaceAll(/\s+/gu, " ")).toContain("not evaluated: whether the client's certificate is trusted");
});

test("explain evaluates custom CAs, in both directions", async () => {
  using ours = await TestAuthority.create();
  using theirs = await TestAuthority.create();
  const [clientPair, serverPair, stranger] = await Promise.all([
    ours.issueServer("client"),
    ours.issueServer("server"),
    theirs.issueServer("stranger"),
  ]);
  const of = ({ certificateChain, privateKey, rootCertificates }: typeof stranger): Files => ({
    shown: certificateChain,
    key: privateKey,
    trusted: rootCertificates,
  });
  const [client, server, other] = [of(clientPair), of(serverPair), of(stranger)];

  const good = await ask(mesh(client, server));
  expect([good.code, good.text.includes("unknown: ")]).toEqual([0, false]);

  const distrusting = await ask(mesh({ ...client, trusted: other.trusted }, server));
  expect(distrusting).toEqual({
    code: 1,
    text: expect.stringContaining(`${server.shown} is not signed by an authority in ${other.trusted}`),
  });

  const distrusted = await ask(mesh({ ...client, shown: other.shown, key: other.key }, server));
  expect(distrusted).toEqual({
    code: 1,
    text: expect.stringContaining(`${other.shown} is not signed by an authority in ${server.trusted}`),
  });

  const unknown = await ask(
    mesh({ ...client, trusted: "/nowhere/ca.pem" }, { ...server, trusted: "/nowhere/clients.pem" }),
  );
  expect(unknown.code).toBe(0);
  expect(unknown.text).toContain("unknown: trust in /nowhere/ca.pem");
  expect(unknown.text).toContain("unknown: trust in /nowhere/clients.pem");
});
