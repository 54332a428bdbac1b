import { MeshError } from "../../lib/errors.ts";
import { ExitCode } from "../command.ts";
import { isText } from "../flags/notation.ts";
import { printReport } from "../objects/print-report.ts";
import { givenStore } from "../objects/store-flags.ts";
import { type Asked, meshAt, misused } from "./asked.ts";
import { placeNamed } from "./logged-place.ts";
import { readPosition } from "./read-position.ts";
import { complainOfLeft, restorable, restoreInto, writesOf } from "./restore-objects.ts";

/** `restore TIME [OBJECT…]`: shows what would be written, or writes it. */
export async function restore(asked: Asked, rest: readonly string[]): Promise<ExitCode> {
  const { given, form, history, terminal, now } = asked;
  const [time, ...objects] = rest;
  if (time === undefined) throw misused(given);
  const mesh = await meshAt(history, readPosition(time, now));
  const { texts, left } = restorable(mesh, new Map(objects.map((text) => [placeNamed(text), text])));
  complainOfLeft(left, terminal);
  const writes = writesOf(texts, terminal);
  if (writes === undefined) {
    terminal.complain("nothing was written: an object of that time is not valid today");
    return ExitCode.problem;
  }
  const code = left.length === 0 ? ExitCode.ok : ExitCode.problem;
  if (!given.has("store") && terminal.env["BINNACLE_STORE"] === undefined) {
    const yaml = texts.map(({ text }) => text).join("---\n");
    terminal.printData(yaml.trimEnd());
    return code;
  }
  const [dryRun, prune] = [!given.has("write"), given.has("prune")];
  if (prune && objects.length > 0) throw new MeshError("bad-option", "--prune: not with single objects");
  using store = await givenStore(given, terminal)();
  const report = await restoreInto(store, { writes, left }, { dryRun, prune });
  const written = printReport(report, { notation: isText(form) ? "text" : form, dryRun }, terminal);
  return written === ExitCode.ok ? code : written;
}
