import type { RotationReport, CertificateReport } from "../../admin/pilot/ca-rotation.ts";
import { textTable } from "../text/text-table.ts";

/** The state of a certificate authority for people. */
export function caText({ phase, phaseSince, phaseEnds, signs, signing, next, trusted }: RotationReport): string {
  const until = phaseEnds === undefined ? "" : `, until ${phaseEnds}`;
  const rows = [
    ...signing.map((each, index) => rowOf(index === 0 ? "signing" : "chain", each)),
    ...(next === undefined ? [] : [rowOf("next", next)]),
    ...trusted.map((each) => rowOf("trusted", each)),
  ];
  return [
    `phase ${phase} since ${phaseSince}${until}`,
    ...(signs ? [] : ["cannot sign: the store of the roots is not readable"]),
    textTable(["USE", "SUBJECT", "FINGERPRINT", "EXPIRES"], rows),
  ].join("\n");
}

function rowOf(use: string, { subject, fingerprint, notAfter }: CertificateReport): readonly string[] {
  return [use, subject, fingerprint.slice(0, 16), notAfter];
}
