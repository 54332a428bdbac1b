import { generateKeyPair, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import type { SubjectName } from "../../ca/extensions.ts";
import type { Signer } from "../../ca/signer.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { IssuedTls, TlsIssuer } from "../../transport/tls/secure-server.ts";

/** The share of its life after which a certificate is renewed. The jitter keeps replicas apart. */
const renewalShare = { least: 0.6, jitter: 0.1 };
const retryMs = 5_000;
/** Timers cannot wait longer than 24 days. */
const longestWaitMs = 20 * 86_400_000;

export interface ServerCertificateOptions {
  readonly signer: Signer;
  /** Empty if the server has a certificate from files, and needs only the roots. */
  readonly names: () => readonly string[];
  /** Makes a request in PEM, for a signer that needs one. */
  readonly makeCsr: (names: readonly SubjectName[], key: KeyObject) => Promise<string>;
  readonly ttlMs: number;
  readonly clock: SupervisedClock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly logger: Logger;
}

/** The server's own certificate from the authority, renewed in time and whenever the authority changes. */
export class ServerCertificate implements TlsIssuer {
  readonly #options: ServerCertificateOptions;
  #use: (issued: IssuedTls) => void = () => undefined;
  #cancelTimer: Cancel = () => undefined;
  #cancelListener: Cancel = () => undefined;
  #renewal: Promise<void> = Promise.resolve();
  #shown: string | undefined;
  #stopped = false;

  constructor(options: ServerCertificateOptions) {
    this.#options = options;
  }

  /** The certificate in use, PEM, without its chain; undefined without one. */
  get shown(): string | undefined {
    return this.#shown;
  }

  async start(use: (issued: IssuedTls) => void): Promise<void> {
    this.#stopped = false;
    this.#use = use;
    // Roots that change during the first signature are not missed.
    this.#cancelListener = this.#options.signer.onChange(() => this.#renew());
    const first = this.#issue();
    this.#renewal = first.catch(() => this.#cancelListener());
    await first;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#cancelListener();
    await this.#renewal;
  }

  /** A failed renewal keeps the old certificate, and is tried again. */
  #renew(): void {
    const { logger, clock } = this.#options;
    this.#cancelTimer();
    this.#renewal = this.#renewal
      .then(() => (this.#stopped ? undefined : this.#issue()))
      .catch((thrown: unknown) => {
        logger.error({ err: thrown }, "server certificate not renewed");
        this.#cancelTimer = clock.after(retryMs, () => this.#renew());
      });
  }

  async #issue(): Promise<void> {
    const { signer, ttlMs, logger, makeCsr } = this.#options;
    const names = this.#options.names();
    if (names.length === 0) return this.#use({ authorities: signer.trusted });
    const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
    const subject = names.map(subjectName);
    const csr = () => makeCsr(subject, privateKey);
    const signed = await signer.sign({ names: subject, publicKey, ttlMs, csr });
    if (signed === undefined) throw new MeshError("unavailable", "the certificate authority cannot sign now");
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    this.#use({ pair: { cert: signed.certificates.join(""), key }, authorities: signer.trusted });
    [this.#shown] = signed.certificates;
    logger.info({ names, expires: new Date(signed.notAfter).toISOString() }, "server certificate issued");
    this.#renewLater(signed.notAfter);
  }

  #renewLater(notAfter: number): void {
    const { clock, timeOfDay, random } = this.#options;
    const share = renewalShare.least + random() * renewalShare.jitter;
    const afterMs = Math.max(0, notAfter - timeOfDay()) * share;
    this.#cancelTimer();
    this.#cancelTimer = clock.after(Math.min(afterMs, longestWaitMs), () => this.#renew());
  }
}

function subjectName(value: string): SubjectName {
  return { type: isIP(value) === 0 ? "dns" : "ip", value };
}
