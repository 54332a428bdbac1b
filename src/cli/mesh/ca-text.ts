import type { RotationReport, CertificateReport } from "../../admin/pilot/ca-rotation.ts";
import { textTable } from "../text/text-table.ts";
import type { WatchedTable } from "../watch/change-printer.ts";

/** The state of a certificate authority for people. */
export function caText(report: RotationReport, form: "text" | "wide"): string {
  const { head, items } = caTable(report, form);
  return [
    phaseText(report),
    ...(report.signs ? [] : ["cannot sign: the store of the roots is not readable"]),
    textTable(
      head,
      items.map(({ cells }) => cells),
    ),
  ].join("\n");
}

/** The phase and the certificates as rows, for a watch. */
export function caWatch(report: RotationReport, form: string): WatchedTable {
  const { head, items } = caTable(report, form);
  const { phase, phaseSince, phaseEnds = "", signs } = report;
  const cells = ["phase", `${phase}${signs ? "" : ", cannot sign"}`, `since ${phaseSince}`, phaseEnds];
  return {
    head,
    items: [{ key: "phase", object: { use: "phase", phase, phaseSince, phaseEnds, signs }, cells }, ...items],
  };
}

function phaseText({ phase, phaseSince, phaseEnds }: RotationReport): string {
  return `phase ${phase} since ${phaseSince}${phaseEnds === undefined ? "" : `, until ${phaseEnds}`}`;
}

function caTable({ signing, next, trusted }: RotationReport, form: string): WatchedTable {
  const row = (use: string, certificate: CertificateReport) => {
    const { subject, fingerprint, notAfter } = certificate;
    const shown = form === "wide" ? fingerprint : fingerprint.slice(0, 16);
    const cells = [use, subject, shown, notAfter];
    return { key: `${use} ${fingerprint}`, object: { use, ...certificate }, cells };
  };
  const items = [
    ...signing.map((each, index) => row(index === 0 ? "signing" : "chain", each)),
    ...(next === undefined ? [] : [row("next", next)]),
    ...trusted.map((each) => row("trusted", each)),
  ];
  return { head: ["USE", "SUBJECT", "FINGERPRINT", "EXPIRES"], items };
}
