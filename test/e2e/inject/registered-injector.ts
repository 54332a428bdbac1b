import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../../src/testing/eventually.ts";
import { grantInjectorRights, grantOurRights, readManifest } from "../support/kube/cluster-role.ts";
import type { Kube } from "../support/kube/kube.ts";
import { type IssuedFiles, TestAuthority } from "../support/tls/certificates.ts";

export const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const patience = { seconds: 30 };

export interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly url?: string; readonly caBundle?: string };
}

export interface Configuration {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly (Webhook & object)[];
}

/** The manifest of the default revision, with the address of a process instead of a Service. */
export function injectorConfiguration(address: string): Configuration {
  const [manifest] = readManifest("injector.yaml") as unknown as readonly Configuration[];
  if (manifest === undefined) throw new Error("the manifest is empty");
  const clientConfig = { url: `https://${address}/inject` };
  return { ...manifest, webhooks: manifest.webhooks.map((webhook) => ({ ...webhook, clientConfig })) };
}

/** A webhook's certificate in a folder of its own. */
export interface WebhookFiles {
  readonly folder: string;
  readonly issued: IssuedFiles;
  /** The flags that serve the webhook, inject, and register it. */
  readonly flags: (address: string) => readonly string[];
  /** Replaces the file of CA certificates. */
  readonly replaceAuthority: (pem: string) => void;
}

export async function webhookFiles(resources: AsyncDisposableStack): Promise<WebhookFiles> {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-inject-"));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const issued = await resources.use(await TestAuthority.create()).issueServer("webhook");
  const place = (name: string, from: string) => {
    const file = join(folder, name);
    copyFileSync(from, file);
    return file;
  };
  const certificate = place("tls.crt", issued.certificateChain);
  const key = place("tls.key", issued.privateKey);
  const ca = place("ca.crt", issued.rootCertificates);
  const files = ["--webhook-cert", certificate, "--webhook-key", key, "--webhook-ca", ca];
  return {
    folder,
    issued,
    flags: (address) => ["--webhook", address, ...files, "--inject", "--inject-register"],
    replaceAuthority: (pem) => writeFileSync(ca, pem),
  };
}

/** Creates the rights of a server, and configurations of the webhook, as an installer does. */
export async function installInjector(kube: Kube, ...bodies: readonly Configuration[]): Promise<void> {
  await grantOurRights(kube, "default");
  await grantInjectorRights(kube);
  for (const body of bodies) await kube.call("POST", configurations, body);
}

export function bundleOf({ rootCertificates }: IssuedFiles): string {
  return Buffer.from(`${readFileSync(rootCertificates, "utf8").trim()}\n`).toString("base64");
}

/** Resolves when all webhooks have the CA bundle, and the API server uses it: it notices a moment later. */
export async function untilRegistered(kube: Kube, issued: IssuedFiles, namespace: string): Promise<void> {
  const isTrusted = async () => {
    const { body } = await kube.call("GET", configurations);
    const webhooks = (body["items"] as readonly Configuration[]).flatMap((item) => item.webhooks);
    return webhooks.every(({ clientConfig }) => clientConfig.caBundle === bundleOf(issued));
  };
  await eventually("CA bundles in all configurations", isTrusted, patience);
  const container = { name: "app", image: "app" };
  const probe = { metadata: { name: "probe" }, spec: { serviceAccountName: "default", containers: [container] } };
  const isInjected = async () => {
    const { body } = await kube.call("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, probe);
    const answer = JSON.stringify(body);
    if (!answer.includes('"istio-proxy"')) throw new Error(answer);
    return true;
  };
  await eventually("an injected pod", isInjected, patience);
}
