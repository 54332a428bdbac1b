import { randomBytes, X509Certificate } from "node:crypto";
import type { OpenAuthority } from "../../ca/authority.ts";
import type { RootStore } from "../../ca/root-store.ts";
import type { Authority, Roots } from "../../ca/roots.ts";
import type { RotationTimes, Validity } from "../../ca/rotation.ts";
import type { SignedChain, Signer, SigningRequest } from "../../ca/signer.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { type CertificateCode, loadCertificateCode } from "./certificate-code.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { RootKeeper, type RotationCause } from "./root-keeper.ts";

export interface CertificateAuthorityOptions {
  readonly store: RootStore;
  /** Whether the first root is created here. Otherwise an operator provides it. */
  readonly createsRoots: boolean;
  /** The organization in the name of a new root: the trust domain. */
  readonly organization: () => string;
  readonly times: RotationTimes;
  /** The life of a new root. */
  readonly rootTtlMs: number;
  /** Counts rotations that this replica has begun. */
  readonly onRotation: (cause: RotationCause) => void;
  readonly clock: SupervisedClock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly logger: Logger;
}

/** An authority that was opened, and the roots that it belongs to. */
interface Active {
  readonly roots: Roots;
  readonly opened: OpenAuthority;
}

/** Signs certificates with the roots of a store. Roots that cannot be used leave the last good ones in use. */
export class CertificateAuthority implements Signer {
  readonly #options: CertificateAuthorityOptions;
  readonly #listeners: ChangeListeners;
  readonly #keeper: RootKeeper;
  #code: CertificateCode | undefined;
  #active: Active | undefined;

  constructor(options: CertificateAuthorityOptions) {
    this.#options = options;
    this.#listeners = new ChangeListeners(options.logger);
    const { store, clock, timeOfDay, times, logger, createsRoots, onRotation } = options;
    this.#keeper = new RootKeeper({
      store,
      clock,
      timeOfDay,
      times,
      create: createsRoots ? () => this.#createRoot() : undefined,
      validityOf,
      onRotation: (cause) => {
        logger.info({ cause }, "root rotation started");
        onRotation(cause);
      },
      onChange: (roots) => this.#use(roots),
      onError: (error) => logger.error({ err: error }, "roots of the certificate authority not read"),
    });
  }

  /** The shared roots and their rotation. */
  get keeper(): RootKeeper {
    return this.#keeper;
  }

  get times(): RotationTimes {
    return this.#options.times;
  }

  /** The authority that signs now; undefined before the start. */
  get active(): Active | undefined {
    return this.#active;
  }

  /** The certificates between the root and workloads, PEM. */
  get chain(): readonly string[] {
    return this.#active?.opened.chain ?? [];
  }

  get trusted(): readonly string[] {
    return this.#active?.roots.trusted ?? [];
  }

  /** Reads requests. Only a started authority can. */
  get code(): CertificateCode {
    if (this.#code === undefined) throw new MeshError("unavailable", "the certificate authority has not started");
    return this.#code;
  }

  async start(): Promise<void> {
    this.#code = await loadCertificateCode();
    await this.#keeper.start();
  }

  async stop(): Promise<void> {
    await this.#keeper.stop();
  }

  async sign({ names, publicKey, ttlMs }: SigningRequest): Promise<SignedChain | undefined> {
    if ((await this.#keeper.rootsFor(ttlMs)) === undefined || this.#active === undefined) return undefined;
    const { opened } = this.#active;
    const request = { names, publicKey, ttlMs, now: this.#options.timeOfDay(), random: randomBytes(16) };
    const leaf = await this.code.signLeaf(opened, request);
    return leaf && { certificates: [leaf.certificate, ...opened.chain], notAfter: leaf.notAfter };
  }

  onChange(listener: () => void): Cancel {
    return this.#listeners.add(listener);
  }

  #createRoot(): Promise<Authority> {
    const { organization, timeOfDay, rootTtlMs: ttlMs } = this.#options;
    return this.code.selfSignedAuthority({
      organization: organization(),
      now: timeOfDay(),
      random: randomBytes(16),
      ttlMs,
    });
  }

  /** Listeners hear nothing of a new record of the longest life. */
  #use(roots: Roots): void {
    const before = this.#active;
    const isKnown = before !== undefined && textOf(before.roots.signing) === textOf(roots.signing);
    const opened = isKnown ? before.opened : this.code.openAuthority(roots.signing);
    this.#active = { roots, opened };
    const isSamePhase = before?.roots.phase === roots.phase && before.roots.trusted.join() === roots.trusted.join();
    if (isKnown && isSamePhase) return;
    const { root, notAfter } = opened;
    const facts = { phase: roots.phase, root: root.fingerprint256, expires: new Date(notAfter).toISOString() };
    this.#options.logger.info({ ...facts, trusted: roots.trusted.length }, "certificate authority ready");
    this.#listeners.tell();
  }
}

/** The certificates of an authority, without its key. */
function textOf({ certificate, chain, root }: Authority): string {
  return [certificate, ...chain, root].join("\n");
}

function validityOf(certificate: string): Validity {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() };
}
