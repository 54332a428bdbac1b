import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { grantOurRights } from "./support/kube/cluster-role.ts";
import { readerRole } from "./support/kube/kube-roles.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { encoded, pairOf } from "./support/tls/secret-yaml.ts";
import { httpText, tlsAsk } from "./support/tls/tls.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithBoth = await describeWith("kube", "envoy");
const patience = { seconds: 30 };
const host = "shop.example.com";
const roles = "/apis/rbac.authorization.k8s.io/v1";
const secrets = "/api/v1/namespaces/istio-system/secrets";

function secret(files: IssuedFiles): object {
  const metadata = { name: "shop", namespace: "istio-system" };
  return { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data: encoded(pairOf(files)) };
}

/** A gateway in files, whose certificate is in Kubernetes. */
function meshDir(port: number, web: number): MeshDir {
  const tls = { mode: "SIMPLE", credentialName: "shop" };
  const server = { port: { number: port, name: "https", protocol: "HTTPS" }, bind: "127.0.0.1", hosts: [host], tls };
  const http = [{ route: [{ destination: { host: "web.shop.svc.cluster.local" } }] }];
  return new MeshDir({
    "web.yaml": serviceYaml({ name: "web", port: 80, endpoints: [{ port: web }] }),
    "gateway.yaml": objectYaml("Gateway", "edge", { selector: { app: "gw" }, servers: [server] }),
    "route.yaml": objectYaml("VirtualService", "web", { hosts: [host], gateways: ["edge"], http }),
  });
}

describeWithBoth("a gateway with a Secret of a real API server", () => {
  const world = shared(async (resources) => {
    const kube = resources.use(await Kube.start());
    await kube.call("POST", "/api/v1/namespaces", { metadata: { name: "istio-system" } });
    const authority = resources.use(await TestAuthority.create());
    const web = resources.use(await startEcho("web"));
    const port = await freePort();
    const mesh = resources.use(meshDir(port, web.port));
    const flags = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("mesh"), "--allow-plaintext-secrets", "on"];
    return { kube, authority, mesh, port, flags };
  });

  test("serves the rest of the mesh without permission to read Secrets, and names the permission", async () => {
    const { kube, mesh, flags } = world();
    const [role, binding] = readerRole();
    await kube.call("POST", `${roles}/clusterroles`, role);
    await kube.call("POST", `${roles}/clusterrolebindings`, binding);
    await using binnacle = await startBinnacle({ dir: mesh.path, args: flags });
    const { body } = await get(binnacle.httpPort, "/debug/issues");
    expect(body).toMatch(/secrets[^]*forbidden|forbidden[^]*secrets/iu);
    expect((await get(binnacle.httpPort, "/ready")).status).toBe(200);
  });

  test("is served over HTTPS, and rotates when the Secret changes", async () => {
    const { kube, authority, mesh, port, flags } = world();
    await grantOurRights(kube, "istio-system");
    const first = await authority.issueNames("first", [{ type: "dns", value: host }]);
    expect((await kube.call("POST", secrets, secret(first))).status).toBe(201);
    await using binnacle = await startBinnacle({ dir: mesh.path, args: flags });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta" });
    const subject = async () => (await tlsAsk(port, httpText(host), { servername: host, trust: first })).subject;
    await eventually("HTTPS is served", async () => (await subject()) === "first", patience);
    const second = await authority.issueNames("second", [{ type: "dns", value: host }]);
    await kube.call("PUT", `${secrets}/shop`, secret(second));
    await eventually("the new certificate is served", async () => (await subject()) === "second", patience);
    expect(await envoy.troubles()).toEqual([]);
  });
});
