import { readFileSync } from "node:fs";
import { eventually } from "../../../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "../binnacle/server.ts";
import { freePort } from "../free-port.ts";
import { MeshDir } from "../mesh-dir.ts";
import type { IssuedFiles, TestAuthority } from "../tls/certificates.ts";
import type { Kube } from "./kube.ts";
import { webhookConfiguration } from "./kube-objects.ts";

/** Our webhook in a process of its own, at an address that it comes back to. */
export class WebhookProcess implements AsyncDisposable {
  readonly pair: IssuedFiles;
  readonly address: string;
  readonly #mesh = new MeshDir();
  #process: BinnacleProcess | undefined;

  private constructor(pair: IssuedFiles, port: number) {
    this.pair = pair;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(authority: TestAuthority): Promise<WebhookProcess> {
    const webhook = new WebhookProcess(await authority.issueServer("webhook"), await freePort());
    await webhook.start();
    return webhook;
  }

  async start(): Promise<void> {
    const pair = ["--webhook-cert", this.pair.certificateChain, "--webhook-key", this.pair.privateKey];
    this.#process = await startBinnacle({ dir: this.#mesh.path, args: ["--webhook", this.address, ...pair] });
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#mesh[Symbol.dispose]();
  }
}

const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const gateways = "/apis/networking.istio.io/v1/namespaces/default/gateways";

/** Has the API server ask the webhook, and resolves when it does. The kinds must be defined. */
export async function register(webhook: WebhookProcess, kube: Kube): Promise<void> {
  const authority = readFileSync(webhook.pair.rootCertificates, "utf8");
  const configuration = webhookConfiguration({ url: `https://${webhook.address}/validate`, authority });
  const { status, body } = await kube.call("POST", webhooks, configuration);
  if (status !== 201) throw new Error(`the webhook is not taken: ${String(body["message"])}`);
  const empty = { apiVersion: "networking.istio.io/v1", kind: "Gateway", metadata: { name: "probe" }, spec: {} };
  const isAsked = async () => {
    const answer = await kube.call("POST", `${gateways}?dryRun=All`, empty);
    return String(answer.body["message"]).includes("denied the request");
  };
  await eventually("a refusal by the webhook", isAsked, { seconds: 60 });
}
