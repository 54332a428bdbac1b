import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import {
  bundleOf,
  type Configuration,
  configurations,
  injectorConfiguration,
  installInjector,
  untilRegistered,
  type Webhook,
  webhookFiles,
} from "./inject/registered-injector.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 30 };

interface PodBody {
  readonly metadata: Readonly<Partial<Record<"labels" | "annotations", Readonly<Record<string, string>>>>>;
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
}

/** The same for a tag: other selectors, the label of the revision that it points to. */
function tagged(address: string, tag: string): Configuration {
  const { metadata, webhooks } = injectorConfiguration(address);
  const selecting = JSON.parse(JSON.stringify(webhooks.slice(0, 2)).replaceAll('"default"', `"${tag}"`));
  return { ...injectorConfiguration(address), metadata: { ...metadata, name: `binnacle-${tag}` }, webhooks: selecting };
}

/**
 * Both webhooks inject every pod of the namespaces of the tag, the second for another network. The API server calls the
 * first again after the second has changed the pod.
 */
function repeated(address: string, tag: string): Configuration {
  const { metadata, webhooks } = tagged(address, tag);
  const [first] = webhooks.map((webhook) => ({ ...webhook, reinvocationPolicy: "IfNeeded" }));
  const second = { ...first, clientConfig: { url: `https://${address}/inject/net/second` } };
  const named = [{ ...first }, second].map((webhook, index) => ({
    ...webhook,
    name: `${index}.sidecar-injector.istio.io`,
  }));
  return { metadata, webhooks: named as unknown as Configuration["webhooks"] };
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
    const webhook = await webhookFiles(resources);
    const values = join(webhook.folder, "values.json");
    writeFileSync(values, JSON.stringify({ global: { hub: "corp", tag: "1.0" } }));
    const address = `127.0.0.1:${await freePort()}`;
    const files = ["--kubeconfig", kube.kubeconfig("mesh"), "--mesh", join(mesh.path, "mesh.yaml")];
    const args = [...webhook.flags(address), "--inject-values", values, ...files];
    const bodies = [injectorConfiguration(address), tagged(address, "prod"), repeated(address, "twice")];
    await installInjector(kube, ...bodies);
    const namespaces = {
      shop: { "istio-injection": "enabled" },
      tagged: { "istio.io/rev": "prod" },
      twice: { "istio.io/rev": "twice" },
      other: { "istio.io/rev": "canary" },
      plain: {},
      off: { "istio-injection": "disabled" },
    };
    for (const [name, labels] of Object.entries(namespaces)) {
      await kube.call("POST", "/api/v1/namespaces", { metadata: { name, labels } });
    }
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    for (const namespace of ["shop", "tagged", "twice"]) await untilRegistered(kube, webhook.issued, namespace);
    return { kube, binnacle, values, webhook, address };
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

  test("a pod that is injected again in the same request has one proxy, with the last settings", async () => {
    const { pod: created } = await create("twice", pod("same-1"));
    expect(created.spec.containers.map(({ name }) => name)).toEqual(["web", "istio-proxy"]);
    const once = await create("shop", pod("same-2", { labels: { "topology.istio.io/network": "second" } }));
    expect(withoutNames(created)).toEqual(withoutNames(once.pod));
  });

  test("a pod whose injected manifest is created again keeps it", async () => {
    const { pod: first } = await create("shop", pod("same-3"));
    const { labels, annotations } = first.metadata;
    const { pod: second } = await create("shop", { ...first, metadata: { name: "same-4", labels, annotations } });
    expect(withoutNames(second)).toEqual(withoutNames(first));
  });

  test("a foreign edit of the CA bundle is repaired, and everything else stays", async () => {
    const { kube, webhook } = rig();
    const path = `${configurations}/binnacle-injector`;
    const { body } = await kube.call("GET", path);
    const spoilt = (body["webhooks"] as readonly Webhook[]).map((each) => ({
      ...each,
      failurePolicy: "Ignore",
      clientConfig: { ...each.clientConfig, caBundle: Buffer.from("nobody").toString("base64") },
    }));
    await kube.call("PUT", path, { ...body, webhooks: spoilt });
    const isRepaired = async () => {
      const { webhooks } = (await kube.call("GET", path)).body as unknown as Configuration;
      expect(webhooks.map((each) => Reflect.get(each, "failurePolicy"))).toEqual(webhooks.map(() => "Ignore"));
      return webhooks.every(({ clientConfig }) => clientConfig.caBundle === bundleOf(webhook.issued));
    };
    await eventually("repaired bundles", isRepaired, patience);
  });

  test("a deleted configuration is not restored, and a new one gets the CA bundle", async () => {
    const { kube, webhook, address } = rig();
    const path = `${configurations}/binnacle-prod`;
    await kube.call("DELETE", path);
    expect((await create("tagged", pod("unregistered"))).pod.spec.containers).toHaveLength(1);
    await kube.call("POST", configurations, tagged(address, "prod"));
    await untilRegistered(kube, webhook.issued, "tagged");
  });

  test("new CA certificates reach every configuration", async () => {
    const { kube, webhook } = rig();
    using authority = await TestAuthority.create();
    const added = await authority.issueServer("next");
    const both = [webhook.issued, added].map(({ rootCertificates }) => readFileSync(rootCertificates, "utf8").trim());
    webhook.replaceAuthority(both.map((pem) => `${pem}\n`).join(""));
    const wanted = Buffer.from(both.map((pem) => `${pem}\n`).join("")).toString("base64");
    const isReplaced = async () => {
      const { body } = await kube.call("GET", configurations);
      const webhooks = (body["items"] as readonly Configuration[]).flatMap((item) => item.webhooks);
      return webhooks.length === 8 && webhooks.every(({ clientConfig }) => clientConfig.caBundle === wanted);
    };
    await eventually("new bundles", isReplaced, patience);
    expect((await create("shop", pod("afterwards"))).pod.spec.containers).toHaveLength(2);
  });
});

/** The parts of a pod that do not depend on its name and namespace, nor on the order of variables. */
function withoutNames({ metadata: { annotations }, spec }: PodBody): unknown {
  return JSON.parse(
    JSON.stringify({ annotations, spec }).replaceAll(/same-\d|namespaces\/\w+/gu, "same"),
    (name, value: unknown) =>
      name === "env" && Array.isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : value,
  );
}

function hash(text: string): number {
  return Array.from(text).reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 7);
}
