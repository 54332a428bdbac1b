import { X509Certificate } from "node:crypto";
import type { RotationReport, CertificateReport } from "../../admin/pilot/ca-rotation.ts";
import { phaseEndsAt, type RotationTimes } from "../../ca/rotation.ts";
import type { RootKeeper } from "./root-keeper.ts";

/** Undefined before the start. */
export function rotationReport(
  keeper: Pick<RootKeeper, "roots" | "current">,
  times: RotationTimes,
): RotationReport | undefined {
  const { roots, current } = keeper;
  if (roots === undefined) return undefined;
  const { phase, phaseSince, signing, next, trusted } = roots;
  const endsAt = phaseEndsAt(roots, times);
  return {
    phase,
    phaseSince: timeText(phaseSince),
    phaseEnds: endsAt === undefined ? undefined : timeText(endsAt),
    signs: current !== undefined,
    signing: [...new Set([signing.certificate, ...signing.chain, signing.root])].map(certificateReport),
    next: next && certificateReport(next.certificate),
    trusted: trusted.map(certificateReport),
  };
}

function certificateReport(pem: string): CertificateReport {
  const { subject, fingerprint256, validFromDate, validToDate } = new X509Certificate(pem);
  return {
    subject: (subject ?? "").replaceAll("\n", ", "),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
    notBefore: validFromDate.toISOString(),
    notAfter: validToDate.toISOString(),
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
