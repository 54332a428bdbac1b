import type { Fault, FaultOutcome } from "./fault.ts";

/** A fault after its run, or the reason why it has no outcome. */
export interface FaultResult {
  readonly fault: Fault;
  readonly outcome: FaultOutcome | { readonly absent: string };
}

/** The measurements of a fault that violated no rule, for docs/reference/faults.md. */
export type RecordedFault = Pick<FaultOutcome, "lost" | "figure"> & { readonly seconds: number };

export function recordedFault({ recoverySeconds, lost, figure }: FaultOutcome): RecordedFault {
  return { seconds: Math.round(recoverySeconds * 100) / 100, lost, ...(figure !== undefined && { figure }) };
}

/** The violations of a fault's rules. `timed`: also the violation of its bound, which only a quiet machine can keep. */
export function violationsOf({ bound }: Fault, outcome: FaultOutcome, { timed }: { readonly timed: boolean }) {
  const { recoverySeconds, lost, findings } = outcome;
  const isLate = timed && recoverySeconds > bound.seconds;
  return [
    ...findings,
    ...(lost > 0 ? [`${lost} resources are lost`] : []),
    ...(isLate ? [`recovery took ${recoverySeconds.toFixed(1)} s, the bound is ${bound.seconds} s`] : []),
  ];
}

/** The results as a table of text, for people and for the log of a run. */
export function faultTable(results: readonly FaultResult[]): string {
  const rows = results.map(({ fault: { name, bound }, outcome }) =>
    "absent" in outcome
      ? [name, `${bound.seconds} s`, outcome.absent]
      : [
          name,
          `${bound.seconds} s`,
          `${outcome.recoverySeconds.toFixed(2)} s`,
          String(outcome.lost),
          String(outcome.findings.length),
          outcome.figure ?? "",
        ],
  );
  const all = [["fault", "bound", "measured", "lost", "findings", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...all.map((row) => (row.length > 3 ? row : row.slice(0, 2))[column]?.length ?? 0)),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
