import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { grantOurRights } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { openDefinition, webhookConfiguration } from "./support/kube/kube-objects.ts";
import { goodGateway } from "./support/kube/webhook-client.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 30 };
const gateways = "/apis/networking.istio.io/v1/namespaces/default/gateways";
const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const configuration = `${configurations}/binnacle`;
const empty = { ...goodGateway("empty"), spec: {} };

interface Registered {
  readonly clientConfig: { readonly caBundle?: string; readonly url: string };
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
}

/** The files of a server, which are replaced as a mounted secret is. */
class Files implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-webhook-"));
  readonly certificate = join(this.#folder, "tls.crt");
  readonly key = join(this.#folder, "tls.key");
  readonly authorities = join(this.#folder, "ca.crt");

  serve({ certificateChain, privateKey }: IssuedFiles): void {
    copyFileSync(certificateChain, this.certificate);
    copyFileSync(privateKey, this.key);
  }

  trust(...roots: readonly IssuedFiles[]): void {
    writeFileSync(this.authorities, roots.map(bundleOf).join(""));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function bundleOf({ rootCertificates }: IssuedFiles): string {
  return `${readFileSync(rootCertificates, "utf8").trim()}\n`;
}

async function registered(kube: Kube): Promise<Registered | undefined> {
  const { webhooks = [] } = (await kube.call("GET", configuration)).body as {
    readonly webhooks?: readonly Registered[];
  };
  return webhooks[0];
}

/** Until the configuration has these authorities and fails closed. */
function untilMended(kube: Kube, ...roots: readonly IssuedFiles[]): Promise<void> {
  const caBundle = Buffer.from(roots.map(bundleOf).join("")).toString("base64");
  const isMended = async () => {
    const { clientConfig, failurePolicy } = (await registered(kube)) ?? {};
    expect([clientConfig?.caBundle, failurePolicy]).toEqual([caBundle, "Fail"]);
    return true;
  };
  return eventually("a configuration in line", isMended, patience).then(() => undefined);
}

describeWithKube("the webhook's registration with a cluster", () => {
  const rig = shared(async (resources) => {
    const kube = resources.use(await Kube.start());
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await kube.call("POST", definitions, openDefinition({ kind: "Gateway", plural: "gateways" }));
    const isServed = async () => (await kube.call("GET", gateways)).status === 200;
    await eventually("the kind", isServed, patience);
    const files = resources.use(new Files());
    const mesh = resources.use(new MeshDir());
    const old = await resources.use(await TestAuthority.create()).issueServer("old");
    const next = await resources.use(await TestAuthority.create()).issueServer("new");
    files.serve(old);
    files.trust(old);
    const address = `127.0.0.1:${await freePort()}`;
    const { webhooks: [webhook = {}] = [], ...rest } = webhookConfiguration({
      url: `https://${address}/validate`,
      authority: "",
    }) as { readonly webhooks?: readonly (object & { readonly clientConfig?: object })[] };
    const install = () =>
      kube.call("POST", configurations, {
        ...rest,
        webhooks: [{ ...webhook, clientConfig: { url: `https://${address}/validate` } }],
      });
    const pair = ["--webhook-cert", files.certificate, "--webhook-key", files.key, "--webhook-ca", files.authorities];
    const args = [
      "--webhook",
      address,
      ...pair,
      "--webhook-config",
      "binnacle",
      "--kubeconfig",
      kube.kubeconfig("mesh"),
    ];
    const binnacle: BinnacleProcess = resources.use(await startBinnacle({ dir: mesh.path, args }));
    return { kube, binnacle, files, old, next, install };
  });

  test("needs permissions, and names missing ones", async () => {
    const { kube, binnacle, install } = rig();
    await install();
    const said = (words: string) => eventually(words, () => binnacle.log().includes(words), patience);
    await said('cannot get resource \\"leases\\" in API group \\"coordination.k8s.io\\"');
    expect((await registered(kube))?.clientConfig.caBundle).toBeUndefined();
    await grantOurRights(kube, "default");
  });

  test("gets its CA bundle, and fails closed once it works", async () => {
    const { kube, binnacle, old } = rig();
    await untilMended(kube, old);
    await binnacle.logged("webhook not called yet");
    const { body } = await kube.call("POST", gateways, empty);
    expect(body["message"]).toContain("denied the request");
    expect((await kube.call("POST", gateways, goodGateway("good"))).status).toBe(201);
    expect((await kube.call("GET", `${gateways}/invalid-gateway`)).status).toBe(404);
  });

  test("is repaired after a foreign edit, only in our fields", async () => {
    const { kube, old } = rig();
    const { body } = await kube.call("GET", configuration);
    const [webhook] = body["webhooks"] as readonly Registered[];
    const { caBundle: _caBundle, ...clientConfig } = webhook?.clientConfig ?? {};
    const spoilt = { ...webhook, clientConfig, failurePolicy: "Ignore", timeoutSeconds: 7 };
    await kube.call("PUT", configuration, { ...body, webhooks: [spoilt] });
    await untilMended(kube, old);
    expect((await registered(kube))?.timeoutSeconds).toBe(7);
  });

  test("follows a new CA while every write is validated", async () => {
    const { kube, binnacle, files, old, next } = rig();
    const over = new AbortController();
    const replaced = () => metric(binnacle.metricsPort, "galley_validation_cert_key_updates");
    const rotate = async () => {
      files.trust(old, next);
      await untilMended(kube, old, next);
      files.serve(next);
      await eventually("another certificate", async () => (await replaced()) || undefined, patience);
      files.trust(next);
      await untilMended(kube, next);
      const enough = statuses.length + 20;
      await eventually("writes at the end", async () => statuses.length > enough, patience);
      over.abort();
    };
    const statuses: number[] = [];
    const write = async () => {
      while (!over.signal.aborted) {
        statuses.push((await kube.call("POST", `${gateways}?dryRun=All`, goodGateway("judged"))).status);
        statuses.push((await kube.call("POST", `${gateways}?dryRun=All`, empty)).status);
      }
    };
    await Promise.all([rotate().finally(() => over.abort()), write()]);
    expect(new Set(statuses)).toEqual(new Set([201, 422]));
    expect(statuses.filter((status) => status === 422).length).toBe(statuses.length / 2);
  });

  test("keeps its CA when the file is invalid", async () => {
    const { kube, binnacle, files, next } = rig();
    writeFileSync(files.authorities, "not a certificate");
    const failed = async () => (await metric(binnacle.metricsPort, "galley_validation_config_load_error")) || undefined;
    expect(await eventually("a failed load", failed, patience)).toBe(1);
    await untilMended(kube, next);
    files.trust(next);
  });

  test("is not recreated after its removal, and is repaired when it is back", async () => {
    const { kube, binnacle, next, install } = rig();
    await kube.call("DELETE", configuration);
    const missed = () => metric(binnacle.metricsPort, "galley_validation_config_update_error", '"NotFound"');
    await eventually("its absence noticed", async () => (await missed()) || undefined, patience);
    expect(await registered(kube)).toBeUndefined();
    await install();
    await untilMended(kube, next);
    expect(await metric(binnacle.metricsPort, "galley_validation_config_updates")).toBeGreaterThan(3);
  });
});
