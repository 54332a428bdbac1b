import type { History, MeshAt, Position } from "../../history/history.ts";
import { MeshError } from "../../lib/errors.ts";
import { ExitCode, type Terminal } from "../command.ts";
import { differenceCount, differenceText } from "../diff/diff-text.ts";
import type { Difference } from "../diff/difference.ts";
import { inNotation, isText, type TableForm } from "../flags/notation.ts";
import type { ReadFlags } from "../flags/read-flags.ts";
import { timeText } from "./list-moments.ts";
import { positionForms } from "./read-position.ts";

/** A call of `history`, with everything that its subcommands need. */
export interface Asked {
  readonly given: ReadFlags;
  readonly form: TableForm;
  readonly history: History;
  readonly terminal: Terminal;
  readonly now: Date;
}

/** The forms of the command, for errors. */
export const expected =
  "list [OBJECT], at TIME show|diff [OBJECT|PROXY|proxies], at TIME blame OBJECT|PROXY or restore TIME [OBJECT…]";

export function misused({ positionals }: ReadFlags): MeshError {
  return new MeshError("bad-option", `expected ${expected}, found ${positionals.join(" ")}`);
}

/** Throws `not-found`. */
export async function meshAt(history: Pick<History, "at">, position: Position): Promise<MeshAt> {
  const mesh = await history.at(position);
  if (mesh === undefined) {
    throw new MeshError("not-found", `the history does not reach back to that time: TIME is ${positionForms}`);
  }
  const { moment } = mesh;
  if (position.type === "moment" && moment.number !== position.number) {
    throw new MeshError(
      "not-found",
      `the history has no moment ${position.number}; the one before is ${moment.number}`,
    );
  }
  return mesh;
}

export function momentOf({ moment }: Pick<MeshAt, "moment">) {
  return { moment: moment.number, at: timeText(moment.at) };
}

export function print(
  data: unknown,
  text: (form: "text" | "wide") => string,
  { form, terminal }: Pick<Asked, "form" | "terminal">,
): void {
  if (isText(form)) terminal.print(text(form));
  else terminal.printData(inNotation(data, form));
}

export function printDifferences(
  { form, terminal }: Asked,
  [before, after]: readonly [MeshAt, MeshAt],
  differences: readonly Difference[],
): ExitCode {
  if (isText(form)) {
    for (const each of differences) terminal.print(differenceText(each, terminal.coloured.print));
    terminal.complain(differenceCount(differences));
  } else terminal.printData(inNotation({ from: momentOf(before), to: momentOf(after), differences }, form));
  return differences.length === 0 ? ExitCode.ok : ExitCode.problem;
}
