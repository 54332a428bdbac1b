import { createPublicKey, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { openAuthority } from "../../../../src/ca/authority.ts";
import type { SubjectName } from "../../../../src/ca/extensions.ts";
import { signLeaf } from "../../../../src/ca/leaf.ts";
import { selfSignedAuthority } from "../../../../src/ca/self-signed.ts";
import type { Kube } from "./kube.ts";

export const signingRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

interface KubeCsr {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly request: string; readonly signerName: string; readonly expirationSeconds: number };
  readonly status: { readonly certificate?: string; readonly conditions?: readonly { readonly type: string }[] };
}

const nameTypes: Readonly<Record<string, SubjectName["type"]>> = { url: "uri", dns: "dns", ip: "ip" };

/** A controller that signs approved requests for one signer's name, with the names that they ask for. */
export class PlayedSigner implements AsyncDisposable {
  readonly roots: string;
  readonly #kube: Kube;
  readonly #name: string;
  readonly #authority: ReturnType<typeof openAuthority>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(kube: Kube, name: string, authority: ReturnType<typeof openAuthority>) {
    this.#kube = kube;
    this.#name = name;
    this.#authority = authority;
    this.roots = String(authority.root);
    this.#running = this.#run();
  }

  static async start(kube: Kube, name: string): Promise<PlayedSigner> {
    const made = { organization: "signer", now: Date.now(), random: randomBytes(16), ttlMs: 3_600_000 };
    return new PlayedSigner(kube, name, openAuthority(await selfSignedAuthority(made)));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let round = 0; round < 10_000 && !signal.aborted; round++) {
      const { body } = await this.#kube.call("GET", signingRequests);
      for (const csr of body["items"] as readonly KubeCsr[]) await this.#answer(csr);
      await setTimeout(50);
    }
  }

  async #answer(csr: KubeCsr): Promise<void> {
    const { metadata, spec, status } = csr;
    const isApproved = status.conditions?.some(({ type }) => type === "Approved") === true;
    if (spec.signerName !== this.#name || !isApproved || status.certificate !== undefined) return;
    const request = new x509.Pkcs10CertificateRequest(Buffer.from(spec.request, "base64").toString());
    const extension = request.getExtension("2.5.29.17");
    const wanted = extension === null ? [] : new x509.SubjectAlternativeNameExtension(extension.rawData).names.toJSON();
    const leaf = await signLeaf(this.#authority, {
      names: wanted.map(({ type, value }) => ({ type: nameTypes[type] ?? "dns", value })),
      publicKey: createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: "der", type: "spki" }),
      ttlMs: spec.expirationSeconds * 1_000,
      now: Date.now(),
      random: randomBytes(16),
    });
    const certificate = Buffer.from(leaf?.certificate ?? "").toString("base64");
    const signed = { ...csr, status: { ...status, certificate } };
    await this.#kube.call("PUT", `${signingRequests}/${metadata.name}/status`, signed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
