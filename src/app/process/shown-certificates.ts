import { X509Certificate } from "node:crypto";

/** A certificate that a listener shows to its clients now. */
export interface ShownCertificate {
  /** The listener: `xds-tls`, `mcp` or `webhook`. */
  readonly listener: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The certificates of the listeners of a process, as they are in use. Listeners report each replacement. */
export class ShownCertificates {
  readonly #shown = new Map<string, ShownCertificate>();

  /** For a listener: it reports the certificate in PEM. A chain begins with the certificate. */
  reporterFor(listener: string): (pem: string) => void {
    return (pem) => {
      const { subject, subjectAltName = "", validToDate } = new X509Certificate(pem);
      // Certificates of workloads have no subject.
      this.#shown.set(listener, { listener, subject: subject || subjectAltName, expires: validToDate.getTime() });
    };
  }

  /** By name of the listener. */
  list(): readonly ShownCertificate[] {
    return [...this.#shown.values()].toSorted((a, b) => (a.listener < b.listener ? -1 : 1));
  }
}
