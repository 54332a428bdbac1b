import type { Metrics } from "./metrics.ts";

/** The result of a request for a certificate. */
export type IssueResult = "signed" | "unauthenticated" | "invalid-csr" | "invalid-ttl" | "limited" | "failed";

/** A certificate that the authority holds. */
export interface HeldCertificate {
  /** `root`, `signing`, `next`, `chain` or `server`. */
  readonly use: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Metrics of the certificate authority, with Istio's names where Istio has them. */
export class CaMetrics {
  readonly #requests;
  readonly #signed;
  readonly #unauthenticated;
  readonly #invalid;
  readonly #refused;
  readonly #rotations;

  constructor(metrics: Metrics, certificates: () => readonly HeldCertificate[]) {
    this.#requests = metrics.counter("citadel_server_csr_count", "Certificate requests.");
    this.#signed = metrics.counter("citadel_server_success_cert_issuance_count", "Signed certificates.");
    this.#unauthenticated = metrics.counter(
      "citadel_server_authentication_failure_count",
      "Certificate requests of callers that were not authenticated.",
    );
    this.#invalid = metrics.counter("citadel_server_csr_parsing_err_count", "Invalid certificate requests.");
    this.#refused = metrics.counter(
      "citadel_server_csr_sign_err_count",
      "Certificate requests that were not signed, by error: invalid-ttl, limited or failed.",
      "error",
    );
    // From the start, so that Prometheus sees the first increase.
    for (const error of ["invalid-ttl", "limited", "failed"]) this.#refused.inc({ error }, 0);
    this.#rotations = metrics.counter(
      "binnacle_ca_rotations_total",
      "Root rotations that this process has started, by cause: command of an operator, or expiry of the root.",
      "cause",
    );
    metrics.observe({
      type: "gauge",
      name: "binnacle_certificate_expiry_timestamp_seconds",
      help: "When each certificate of the authority expires, in seconds since 1970, by use: root, signing, next, chain or server.",
      labels: ["use", "fingerprint"],
      values: () => certificates().map(({ use, fingerprint, expires }) => [{ use, fingerprint }, expires / 1_000]),
    });
  }

  rotated(cause: "command" | "expiry"): void {
    this.#rotations.inc({ cause });
  }

  answered(result: IssueResult): void {
    this.#requests.inc();
    if (result === "signed") this.#signed.inc();
    else if (result === "unauthenticated") this.#unauthenticated.inc();
    else if (result === "invalid-csr") this.#invalid.inc();
    else this.#refused.inc({ error: result });
  }
}
