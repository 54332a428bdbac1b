import type { X509Certificate } from "node:crypto";
import type { SubjectName } from "../../ca/extensions.ts";
import { isIssuedUnder } from "../../ca/issued-under.ts";
import type { SignedChain, Signer, SigningRequest } from "../../ca/signer.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { certificatesIn } from "../../transport/tls/key-pair.ts";
import { ReloadedFiles } from "../../transport/tls/reloaded-files.ts";
import { ask, fieldManager, type KubeCalls, unlessMissing } from "../kube/kube-calls.ts";
import type { WatchedFiles } from "../process/watched-files.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { type CertificateCode, loadCertificateCode } from "./certificate-code.ts";

export interface KubeSignerOptions extends WatchedFiles<SupervisedClock> {
  readonly calls: KubeCalls;
  /** A signer of the cluster, such as `example.com/mesh`. */
  readonly signerName: string;
  /** The file with the roots below which the signer signs. */
  readonly rootsFile: string;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly logger: Logger;
}

/** The part of a CertificateSigningRequest that we read. The API server has validated it. */
interface KubeCsr {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const usages = ["digital signature", "key encipherment", "server auth", "client auth"];
/** The API server accepts no shorter time to live. */
const shortestTtlSeconds = 600;
/** Agents wait about as long for an answer. */
const answerMs = 10_000;

/**
 * Has certificates signed by a signer of Kubernetes: creates a CertificateSigningRequest, approves it, waits for the
 * certificate, and deletes the request. The caller was authenticated before, so the approval is ours.
 */
export class KubeSigner implements Signer {
  readonly #options: KubeSignerOptions;
  readonly #listeners: ChangeListeners;
  readonly #files: ReloadedFiles;
  #code: CertificateCode | undefined;
  #roots: readonly X509Certificate[] = [];

  constructor(options: KubeSignerOptions) {
    this.#options = options;
    this.#listeners = new ChangeListeners(options.logger);
    const { rootsFile, openWatch, clock, logger } = options;
    this.#files = new ReloadedFiles({
      files: [rootsFile],
      openWatch,
      clock,
      use: ([text = ""]) => this.#useRoots(certificatesIn(rootsFile, text)),
      onError: (error) => logger.error({ err: error, file: rootsFile }, "root certificates not replaced"),
    });
  }

  /** Certificates between the roots and workloads are not known before a request. Clients send them. */
  get chain(): readonly string[] {
    return [];
  }

  get trusted(): readonly string[] {
    return this.#roots.map(String);
  }

  /** Reads and makes requests. Only a started signer can. */
  get code(): CertificateCode {
    if (this.#code === undefined) throw new MeshError("unavailable", "the certificate authority has not started");
    return this.#code;
  }

  async start(): Promise<void> {
    this.#code = await loadCertificateCode();
    await this.#files.start();
  }

  async stop(): Promise<void> {
    await this.#files.stop();
  }

  onChange(listener: () => void): Cancel {
    return this.#listeners.add(listener);
  }

  problemOf(csr: string, names: readonly SubjectName[]): string | undefined {
    if (this.code.requestsExactly(csr, names)) return undefined;
    return `its names are not exactly ${names.map(({ value }) => value).join(", ")}`;
  }

  /** Rejects with `unavailable`, `peer-protocol` or `timeout`, and as the API server refuses. */
  async sign(wanted: SigningRequest): Promise<SignedChain> {
    const csr = await wanted.csr();
    const problem = this.problemOf(csr, wanted.names);
    if (problem !== undefined) throw new MeshError("bad-config", `the certificate request is invalid: ${problem}`);
    const created = await this.#create(csr, wanted.ttlMs);
    try {
      await this.#approve(created);
      return this.#checked(await this.#signed(created), wanted);
    } finally {
      await this.#delete(created);
    }
  }

  async #create(csr: string, ttlMs: number): Promise<KubeCsr> {
    const { calls, signerName } = this.#options;
    const spec = {
      request: Buffer.from(csr).toString("base64"),
      signerName,
      expirationSeconds: Math.max(shortestTtlSeconds, Math.floor(ttlMs / 1_000)),
      usages,
    };
    const metadata = { generateName: "binnacle-" };
    const body = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata, spec };
    return (await ask(calls, { method: "POST", path, query: { fieldManager }, body })) as KubeCsr;
  }

  async #approve(created: KubeCsr): Promise<void> {
    const message = "Binnacle has authenticated the workload";
    const approved = { type: "Approved", status: "True", reason: "Authenticated", message };
    const body = { ...created, status: { conditions: [approved] } };
    await ask(this.#options.calls, {
      method: "PUT",
      path: `${pathOf(created)}/approval`,
      query: { fieldManager },
      body,
    });
  }

  async #signed(created: KubeCsr): Promise<string> {
    const { calls, clock, signerName } = this.#options;
    const until = clock.now() + answerMs;
    const pauses = new Backoff({ firstMs: 20, lastMs: 1_000 });
    while (clock.now() < until) {
      const read = (await unlessMissing(ask(calls, { path: pathOf(created) }))) as KubeCsr | undefined;
      const { certificate = "", conditions = [] } = read?.status ?? {};
      if (certificate !== "") return Buffer.from(certificate, "base64").toString();
      const refusal = conditions.find(({ type }) => type === "Denied" || type === "Failed");
      if (refusal !== undefined || read === undefined) {
        const reason = refusal?.message ?? "the request was deleted";
        throw new MeshError("unavailable", `signer ${signerName}: ${reason}`);
      }
      await new Promise<void>((resolve) => void clock.after(pauses.next(), resolve));
    }
    throw new MeshError("timeout", `signer ${signerName} has not signed within ${answerMs / 1_000} s`);
  }

  /** A request that stays does no harm: the API server deletes it after an hour. */
  async #delete(created: KubeCsr): Promise<void> {
    const { calls, logger } = this.#options;
    await unlessMissing(ask(calls, { method: "DELETE", path: pathOf(created) })).catch((thrown: unknown) => {
      logger.warn({ err: thrown, name: created.metadata.name }, "certificate signing request not deleted");
    });
  }

  /** The identity of a workload depends on this certificate, so a mistake of the signer must not pass. */
  #checked(pem: string, { names, publicKey }: SigningRequest): SignedChain {
    const { signerName, timeOfDay } = this.#options;
    const [leaf, ...between] = certificatesIn(`the answer of signer ${signerName}`, pem);
    const wrong = (reason: string) => new MeshError("peer-protocol", `signer ${signerName}: ${reason}`);
    if (leaf === undefined) throw wrong("its answer has no certificate");
    if (leaf.ca) throw wrong("it signed the certificate of an authority");
    if (!leaf.publicKey.equals(publicKey)) throw wrong("it signed another key");
    if (!this.code.certifiesExactly(leaf.raw, names))
      throw wrong(`it signed other names: ${leaf.subjectAltName ?? ""}`);
    if (leaf.validToDate.getTime() <= timeOfDay()) throw wrong("its certificate has expired");
    const above = between.filter((each) => !this.#roots.some((root) => root.raw.equals(each.raw)));
    if (!isIssuedUnder(leaf, this.#roots, above)) throw wrong("its certificate is not below the roots of --ca-roots");
    const certificates = [leaf, ...above].map(String);
    return { certificates, notAfter: leaf.validToDate.getTime() };
  }

  #useRoots(roots: readonly X509Certificate[]): void {
    this.#roots = roots;
    const fingerprints = roots.map(({ fingerprint256 }) => fingerprint256);
    this.#options.logger.info({ signer: this.#options.signerName, roots: fingerprints }, "certificate authority ready");
    this.#listeners.tell();
  }
}

function pathOf({ metadata: { name } }: KubeCsr): string {
  return `${path}/${name}`;
}
