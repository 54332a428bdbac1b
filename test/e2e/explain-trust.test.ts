import { expect, test } from "vitest";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

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
