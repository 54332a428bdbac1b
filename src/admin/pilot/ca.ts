import type { HeldCertificate } from "../metrics/ca-metrics.ts";
import { json, type Route } from "../route.ts";

/** The certificate authority, without its keys. */
export interface CaReport {
  /** The kind of `--ca`. */
  readonly kind: string;
  /** The phase of a root rotation, and when it began in milliseconds since 1970. Undefined before the start. */
  readonly phase: string | undefined;
  readonly phaseSince: number | undefined;
  readonly trustDomain: string;
  readonly certificates: readonly HeldCertificate[];
}

export function caPage(report: () => CaReport): Route {
  return {
    path: "/debug/ca",
    doc: "the certificate authority: phase of its root rotation, and the expiry of every certificate that it holds",
    answer: () => {
      const { phaseSince, certificates, ...rest } = report();
      return json({
        ...rest,
        phaseSince: phaseSince === undefined ? undefined : new Date(phaseSince).toISOString(),
        certificates: certificates.map((each) => ({ ...each, expires: new Date(each.expires).toISOString() })),
      });
    },
  };
}
