import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { grantInjectorRights, grantOurRights, readManifest } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 30 };
const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly url?: string; readonly caBundle?: string };
}

interface Configuration {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly (Webhook & object)[];
}

interface PodBody {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
}

/** The manifest of the default revision, with the address of a process instead of a Service. */
function configuration(address: string): Configuration {
  const [manifest] = readManifest("injector.yaml") as unknown as readonly Configuration[];
  if (manifest === undefined) throw new Error("the manifest is empty");
  const clientConfig = { url: `https://${address}/inject` };
  return { ...manifest, webhooks: manifest.webhooks.map((webhook) => ({ ...webhook, clientConfig })) };
}

/** The same for a tag: other selectors, the label of the revision that it points to. */
function tagged(address: string, tag: string): Configuration {
  const { metadata, webhooks } = configuration(address);
  const selecting = JSON.parse(JSON.stringify(webhooks.slice(0, 2)).replaceAll('"default"', `"${tag}"`));
  return { ...configuration(address), metadata: { ...metadata, name: `binnacle-${tag}` }, webhooks: selecting };
}

function bundleOf({ rootCertificates }: IssuedFiles): string {
  return Buffer.from(`${readFileSync(rootCertificates, "utf8").trim()}\n`).toString("base64");
}

function pod(name: string, metadata: object = {}, spec: object = {}): object {
  return {
    metadata: { name, ...metadata },
    spec: { serviceAccountName: "default", ...spec, containers: [{ name: "web", image: "shop/web" }] },
  };
}

function proxyConfigYaml(namespace: string, imageType: string): string {
  return `
apiVersion: networking.istio.io/v1beta1
kind: ProxyConfig
metadata: {name: images, namespace: ${namespace}}
spec: {image: {imageType: ${imageType}}}
`;
}

function asking(value: string): object {
  return { labels: { "sidecar.istio.io/inject": value } };
}

describeWithKube("pods created in a cluster", () => {
  const rig = shared(async (resources) => {
    const kube = resources.use(await Kube.start());
    const mesh = resources.use(new MeshDir());
    mesh.write("mesh.yaml", "trustDomain: corp.example\n");
    mesh.write("proxy-config.yaml", proxyConfigYaml("tagged", "distroless"));
    const folder = mkdtempSync(join(tmpdir(), "binnacle-inject-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const values = join(folder, "values.json");
    writeFileSync(values, JSON.stringify({ global: { hub: "corp", tag: "1.0" } }));
    const issued = await resources.use(await TestAuthority.create()).issueServer("webhook");
    const [certificate, key, ca] = ["tls.crt", "tls.key", "ca.crt"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    copyFileSync(issued.certificateChain, certificate);
    copyFileSync(issued.privateKey, key);
    copyFileSync(issued.rootCertificates, ca);
    const address = `127.0.0.1:${await freePort()}`;
    const webhook = ["--webhook", address, "--webhook-cert", certificate, "--webhook-key", key, "--webhook-ca", ca];
    const inject = ["--inject", "--inject-register", "--inject-values", values];
    const files = ["--kubeconfig", kube.kubeconfig("mesh"), "--mesh", join(mesh.path, "mesh.yaml")];
    const args = [...webhook, ...inject, ...files];
    await grantOurRights(kube, "default");
    await grantInjectorRights(kube);
    for (const body of [configuration(address), tagged(address, "prod")]) await kube.call("POST", configurations, body);
    const namespaces = {
      shop: { "istio-injection": "enabled" },
      tagged: { "istio.io/rev": "prod" },
      other: { "istio.io/rev": "canary" },
      plain: {},
      off: { "istio-injection": "disabled" },
    };
    for (const [name, labels] of Object.entries(namespaces)) {
      await kube.call("POST", "/api/v1/namespaces", { metadata: { name, labels } });
    }
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    const isTrusted = async () => {
      const { body } = await kube.call("GET", configurations);
      const bundles = (body["items"] as readonly Configuration[]).flatMap(({ webhooks }) =>
        webhooks.map(({ clientConfig }) => clientConfig.caBundle),
      );
      return bundles.length === 6 && bundles.every((bundle) => bundle === bundleOf(issued));
    };
    await eventually("CA bundles in both configurations", isTrusted, patience);
    // A changed configuration reaches the API server's own list a moment later.
    const isCalled = async () => {
      await kube.call("POST", "/api/v1/namespaces/tagged/pods?dryRun=All", pod("probe"));
      return (await metric(binnacle.metricsPort, "sidecar_injection_requests_total")) > 0;
    };
    await eventually("a call of the webhook", isCalled, patience);
    return { kube, binnacle, values, issued };
  });

  async function create(namespace: string, body: object) {
    const answer = await rig().kube.call("POST", `/api/v1/namespaces/${namespace}/pods`, body);
    return { ...answer, pod: answer.body as unknown as PodBody };
  }

  test.each([
    ["a namespace with injection", "shop", {}, true],
    ["a namespace with injection, but opts out", "shop", asking("false"), false],
    ["a namespace of a tag of our revision", "tagged", {}, true],
    ["a namespace of another revision", "other", {}, false],
    ["a namespace of another revision, even if it asks", "other", asking("true"), false],
    ["a namespace without labels", "plain", {}, false],
    ["a namespace without labels, but asks", "plain", asking("true"), true],
    ["a namespace without labels, but names our revision", "plain", { labels: { "istio.io/rev": "default" } }, true],
    ["a namespace without injection", "off", {}, false],
  ])("a pod in %s: %s %j gets a proxy: %j", async (_what, namespace, metadata, isInjected) => {
    const {
      status,
      body,
      pod: created,
    } = await create(namespace, pod(`web-${Math.abs(hash(JSON.stringify([namespace, metadata])))}`, metadata));
    expect([status, body["message"]]).toEqual([201, undefined]);
    expect(created.spec.containers.map(({ name }) => name)).toEqual(isInjected ? ["web", "istio-proxy"] : ["web"]);
  });

  test("an injected pod has the image of the values and the trust domain of the mesh", async () => {
    const { pod: created } = await create("shop", pod("settings"));
    expect(created.spec.containers[1]?.image).toBe("corp/proxyv2:1.0");
    expect(JSON.stringify(created.spec)).toContain('{"name":"TRUST_DOMAIN","value":"corp.example"}');
  });

  test("a ProxyConfig decides about the pods of its namespace", async () => {
    const { pod: created } = await create("tagged", pod("configured"));
    expect(created.spec.containers[1]?.image).toBe("corp/proxyv2:1.0-distroless");
  });

  test("a pod in the network of its node is admitted without a proxy, with a warning", async () => {
    const { status, warnings, pod: created } = await create("shop", pod("host", {}, { hostNetwork: true }));
    expect(status).toBe(201);
    expect(created.spec.containers).toHaveLength(1);
    expect(warnings.join()).toContain("this pod gets no sidecar: it uses the network of its node");
  });

  test("a pod with a bad annotation is refused, and the answer names it", async () => {
    const metadata = { annotations: { "sidecar.istio.io/interceptionMode": "MAGIC" } };
    const { status, body } = await create("shop", pod("bad", metadata));
    expect(status).toBe(422);
    expect(body["message"]).toContain('interceptionMode: expected REDIRECT, TPROXY or NONE, found "MAGIC"');
  });

  test("the API server accepts every template", async () => {
    const native = { annotations: { "sidecar.istio.io/nativeSidecar": "true" } };
    const transparent = { annotations: { "sidecar.istio.io/interceptionMode": "TPROXY" } };
    const gateway = { annotations: { "inject.istio.io/templates": "gateway" } };
    const probes = { name: "probed", image: "x", readinessProbe: { tcpSocket: { port: 80 } } };
    const auto = { name: "istio-proxy", image: "auto", ports: [{ containerPort: 8080 }] };
    const bodies = [
      pod("native", native),
      pod("transparent", transparent),
      { metadata: { name: "gateway", ...gateway }, spec: { serviceAccountName: "default", containers: [auto] } },
      { metadata: { name: "probes" }, spec: { serviceAccountName: "default", containers: [probes] } },
    ];
    for (const body of bodies) expect((await create("shop", body)).status).toBe(201);
  });

  test("new values apply without a restart, and bad ones are reported and not used", async () => {
    const { binnacle, values } = rig();
    writeFileSync(values, JSON.stringify({ global: { hub: "corp", tag: "2.0" } }));
    const imageNow = async () => {
      const { body } = await rig().kube.call("POST", "/api/v1/namespaces/shop/pods?dryRun=All", pod("dry"));
      return (body as unknown as PodBody).spec.containers[1]?.image;
    };
    await eventually("the new image", async () => (await imageNow()) === "corp/proxyv2:2.0", patience);
    writeFileSync(values, JSON.stringify({ global: { proxy: { imagee: "x" } } }));
    await binnacle.logged("global.proxy.imagee: there is no such field; did you mean image?");
    expect(await imageNow()).toBe("corp/proxyv2:2.0");
  });

  test("a foreign edit of the CA bundle is repaired, and everything else stays", async () => {
    const { kube, issued } = rig();
    const path = `${configurations}/binnacle-injector`;
    const { body } = await kube.call("GET", path);
    const spoilt = (body["webhooks"] as readonly Webhook[]).map((webhook) => ({
      ...webhook,
      failurePolicy: "Ignore",
      clientConfig: { ...webhook.clientConfig, caBundle: Buffer.from("nobody").toString("base64") },
    }));
    await kube.call("PUT", path, { ...body, webhooks: spoilt });
    const isRepaired = async () => {
      const { webhooks } = (await kube.call("GET", path)).body as unknown as Configuration;
      expect(webhooks.map((webhook) => Reflect.get(webhook, "failurePolicy"))).toEqual(webhooks.map(() => "Ignore"));
      return webhooks.every(({ clientConfig }) => clientConfig.caBundle === bundleOf(issued));
    };
    await eventually("repaired bundles", isRepaired, patience);
  });
});

function hash(text: string): number {
  return Array.from(text).reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 7);
}
