import { objectText } from "../../app/store/object-id.ts";
import type { Outcome, Report } from "../../app/store/object-store.ts";
import { ExitCode, type Terminal } from "../command.ts";
import { inNotation, type Notation } from "../flags/notation.ts";

export interface ReportOptions {
  readonly notation: Notation;
  readonly dryRun: boolean;
}

/** Prints the outcome of each object, and the objects that were not written. */
export function printReport({ outcomes, note }: Report, options: ReportOptions, terminal: Terminal): ExitCode {
  const { notation, dryRun } = options;
  if (notation !== "text") terminal.printData(inNotation(outcomes.map(outcomeData), notation));
  for (const outcome of outcomes) {
    const { type, id } = outcome;
    if (type === "refused") terminal.complain(`${objectText(id)} refused: ${outcome.reason}`);
    else if (notation === "text") terminal.print(`${objectText(id)} ${type}${dryRun ? " (dry run)" : ""}`);
  }
  if (note !== "") terminal.complain(note);
  return outcomes.some(isUndone) ? ExitCode.problem : ExitCode.ok;
}

function isUndone({ type }: Outcome): boolean {
  return type === "refused" || type === "skipped";
}

function outcomeData({ id, type, ...rest }: Outcome) {
  return { kind: id.kind.kind, namespace: id.namespace, name: id.name, outcome: type, ...rest };
}
