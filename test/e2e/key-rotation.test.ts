import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { HostileHttp, type HttpAnswer } from "../../src/testing/server/hostile-http.ts";
import { bearer, jwks, token } from "./policy-table/tokens.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const claims = { iss: "shop", sub: "anna" };
const patience = { seconds: 20 };
const answerWith =
  (text: string): HttpAnswer =>
  (response) =>
    response.end(text);

function objects(port: number, issuer: string): string {
  const labels = gatewayNode.metadata["LABELS"];
  const { NAMESPACE: namespace } = gatewayNode.metadata;
  const server = { port: { number: port, name: "http", protocol: "HTTP" }, hosts: ["*"] };
  const kinds = [
    [
      "security.istio.io/v1",
      "RequestAuthentication",
      { jwtRules: [{ issuer: "shop", jwksUri: `http://${issuer}/keys` }] },
    ],
    ["networking.istio.io/v1", "Gateway", { selector: labels, servers: [server] }],
    [
      "networking.istio.io/v1",
      "VirtualService",
      { hosts: ["*"], gateways: ["shop"], http: [{ directResponse: { status: 200 } }] },
    ],
  ] as const;
  return kinds
    .map(([apiVersion, kind, spec]) =>
      JSON.stringify({ apiVersion, kind, metadata: { name: "shop", namespace }, spec }),
    )
    .join("\n---\n");
}

describeWithEnvoy("keys of an issuer that rotates them", () => {
  test("arrive at the proxy, and no request with a valid token fails meanwhile", async () => {
    await using issuer = await HostileHttp.start(answerWith(jwks("one")));
    const port = await freePort();
    using mesh = new MeshDir({ "shop.yaml": objects(port, issuer.address) });
    const args = ["--jwks-allow-http", "--jwks-allow-local", "--jwks-refresh", "300ms"];
    await using server = await startBinnacle({ dir: mesh.path, args });
    await using envoy = await startEnvoy({ xdsPort: server.xdsPort, mode: "delta" });
    await envoy.settled();
    const [first, second] = [bearer(token(claims, "one")), bearer(token(claims, "two"))];
    const statusOf = async (headers: Readonly<Record<string, string>>) => (await get(port, "/", { headers })).status;
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401]);

    const failures: number[] = [];
    let old = 0;
    // The issuer serves both keys, as long as tokens of the old one are valid.
    issuer.answer = answerWith(jwks("one", "two"));
    await eventually(
      "the new key is in use",
      async () => {
        const status = await statusOf(first);
        old += 1;
        if (status !== 200) failures.push(status);
        return (await statusOf(second)) === 200;
      },
      patience,
    );
    expect([failures, old > 0, await statusOf(first)]).toEqual([[], true, 200]);

    // The old key is withdrawn, and then the issuer is down: the last good key set stays.
    issuer.answer = answerWith(jwks("two"));
    await eventually("the old key is gone", async () => (await statusOf(first)) === 401, patience);
    issuer.answer = (response) => response.writeHead(503).end();
    const asked = issuer.asked.length;
    await eventually("the issuer was asked again", () => issuer.asked.length > asked + 1, patience);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
});
