import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { expect, test } from "vitest";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import type { EnvoyNode } from "./support/envoy/bootstrap.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { outcome, tlsFlags, tlsPort, withToken } from "./support/tls/secure-xds.ts";

const describeWithKube = await describeWith("kube");
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const unauthenticated = { code: GrpcStatus.UNAUTHENTICATED };

const service = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: reviews, namespace: default }
spec:
  hosts: [reviews.example]
  ports: [{ number: 80, name: http, protocol: HTTP }]
  resolution: DNS
`;

function sidecarOf(account: string): EnvoyNode {
  return {
    id: "sidecar~127.0.0.9~reviews-0.default~default.svc.cluster.local",
    metadata: { NAMESPACE: "default", SERVICE_ACCOUNT: account, INTERCEPTION_MODE: "NONE" },
  };
}

/** Lets a process of the cluster review tokens, and nothing else. */
async function allowReviews(kube: Kube): Promise<void> {
  const rules = [{ apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] }];
  const roles = "/apis/rbac.authorization.k8s.io/v1";
  await kube.call("POST", `${roles}/clusterroles`, { metadata: { name: "reviewer" }, rules });
  await kube.call("POST", `${roles}/clusterrolebindings`, {
    metadata: { name: "reviewer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reviewer" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mesh" }],
  });
}

/** A token as mounted in a pod. */
async function tokenOf(kube: Kube, account: string, audience = "istio-ca"): Promise<string> {
  const request = { spec: { audiences: [audience], expirationSeconds: 600 } };
  const { body } = await kube.call("POST", `${accounts}/${account}/token`, request);
  return (body["status"] as { readonly token: string }).token;
}

/** Signs with the cluster's own key, so that only the claims make a token invalid. */
async function signed(kube: Kube, payload: JWTPayload): Promise<string> {
  const key = createPrivateKey(readFileSync(join(dirname(kube.kubeconfig("admin")), "sa.key")));
  return await new SignJWT(payload).setProtectedHeader({ alg: "RS256" }).sign(key);
}

describeWithKube("a proxy with the token of its service account", () => {
  const rig = shared(async (resources) => {
    const kube = resources.use(await Kube.start());
    await allowReviews(kube);
    for (const name of ["reviews", "ratings", "passing"]) await kube.call("POST", accounts, { metadata: { name } });
    const authority = resources.use(await TestAuthority.create());
    const server = await authority.issueServer("xds");
    const mesh = resources.use(new MeshDir({ "reviews.yaml": service }));
    const args = [...tlsFlags(server), "--token-review", "--kubeconfig", kube.kubeconfig("mesh")];
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    const port = await tlsPort(binnacle);
    const ask = (account: string, token: string) =>
      outcome("delta", port, sidecarOf(account), withToken(server, token));
    return { kube, binnacle, ask };
  });

  test("gets the identity of that account, and no other", async () => {
    const { kube, ask } = rig();
    const token = await tokenOf(kube, "reviews");
    expect(await ask("reviews", token)).toBe(true);
    expect(await ask("ratings", token)).toMatchObject({
      code: GrpcStatus.PERMISSION_DENIED,
      details: expect.stringContaining("known as spiffe://cluster.local/ns/default/sa/reviews"),
    });
  });

  test("is rejected if the token is for others, forged, expired or revoked", async () => {
    const { kube, binnacle, ask } = rig();
    const token = await tokenOf(kube, "reviews");
    expect(await ask("reviews", await tokenOf(kube, "reviews", "elsewhere"))).toMatchObject(unauthenticated);
    const [head = "", body = "", signature = ""] = token.split(".");
    const forged = [head, body, Buffer.from(signature).reverse().toString()].join(".");
    expect(await ask("reviews", forged)).toMatchObject(unauthenticated);
    const claims = decodeJwt(token);
    expect(await ask("reviews", await signed(kube, claims))).toBe(true);
    const past = Math.floor(Date.now() / 1000) - 60;
    const expired = await signed(kube, { ...claims, iat: past - 600, nbf: past - 600, exp: past });
    expect(await ask("reviews", expired)).toMatchObject(unauthenticated);
    const withdrawn = await tokenOf(kube, "passing");
    await kube.call("DELETE", `${accounts}/passing`);
    expect(await ask("passing", withdrawn)).toMatchObject(unauthenticated);
    for (const reason of ["token audiences", "invalid bearer token", "token has expired", "not found"]) {
      await binnacle.logged(reason);
    }
  });

  test("waits while the API server is down, and is served when it is back", async () => {
    const { kube, binnacle, ask } = rig();
    const [known, unknown] = [await tokenOf(kube, "ratings"), await tokenOf(kube, "reviews")];
    expect(await ask("ratings", known)).toBe(true);
    await kube.stopServer("SIGKILL");
    expect(await ask("reviews", unknown)).toMatchObject(unauthenticated);
    await binnacle.logged("the API server could not be asked");
    // The result of the last review is still cached.
    expect(await ask("ratings", known)).toBe(true);
    await kube.startServer();
    expect(await ask("reviews", unknown)).toBe(true);
  });
});
