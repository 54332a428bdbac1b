import type { Position } from "../../history/history.ts";
import { MeshError } from "../../lib/errors.ts";
import { ExitCode } from "../command.ts";
import { differencesOf } from "../diff/difference.ts";
import { type Asked, meshAt, misused, momentOf, print, printDifferences } from "./asked.ts";
import { blameObject, blameText } from "./blame-object.ts";
import { listMoments, momentsText } from "./list-moments.ts";
import { placeNamed } from "./logged-place.ts";
import { comparedObjects, entriesText, notFound, shownEntries, shownObject } from "./objects-at.ts";
import { readPosition } from "./read-position.ts";

/** `list [OBJECT]` */
export async function listChanges(asked: Asked, rest: readonly string[]): Promise<ExitCode> {
  const { given, form, history, terminal, now } = asked;
  const [object, ...others] = rest;
  if (others.length > 0) throw misused(given);
  const limit = given.value("limit");
  if (!/^[1-9]\d{0,8}$/u.test(limit)) throw new MeshError("bad-option", `--limit: expected a number, found ${limit}`);
  const moments = await listMoments(history, {
    limit: Number(limit),
    since: given.has("since") ? await timeOf(asked, readPosition(given.value("since"), now)) : 0,
    place: object === undefined ? undefined : placeNamed(object),
  });
  const damaged = await history.damaged();
  if (damaged > 0) terminal.complain(`warning: ${damaged} records cannot be read`);
  print({ moments }, (table) => momentsText(moments, table), { form, terminal });
  return ExitCode.ok;
}

async function timeOf({ history }: Asked, position: Position): Promise<number> {
  return position.type === "time" ? position.at : (await meshAt(history, position)).moment.at;
}

/** `at TIME show [OBJECT]` */
export async function showObjects(asked: Asked, position: Position, place: string | undefined): Promise<ExitCode> {
  const { given, history, terminal } = asked;
  const mesh = await meshAt(history, position);
  if (place === undefined) {
    const objects = shownEntries(mesh);
    print({ ...momentOf(mesh), objects }, (table) => entriesText(objects, table), asked);
    return ExitCode.ok;
  }
  const shown = shownObject(mesh, place, given.positionals.at(-1) ?? "");
  if (shown.redacted) terminal.complain("note: a key, a token or a password was left out");
  print({ ...momentOf(mesh), ...shown }, () => shown.yaml.trimEnd(), asked);
  return ExitCode.ok;
}

/** `at TIME diff [OBJECT]` */
export async function diffObjects(asked: Asked, position: Position, place: string | undefined): Promise<ExitCode> {
  const { given, history, now } = asked;
  const before = await meshAt(history, position);
  const after = await meshAt(history, readPosition(given.value("to"), now));
  const differences = differencesOf(comparedObjects(before, place), comparedObjects(after, place));
  return printDifferences(asked, [before, after], differences);
}

/** `at TIME blame OBJECT` */
export async function blameLinesOf(asked: Asked, position: Position, place: string): Promise<ExitCode> {
  const { given, history } = asked;
  const lines = await blameObject(history, place, position);
  if (lines.length === 0) throw notFound(await meshAt(history, position), given.positionals.at(-1) ?? "");
  print({ lines }, (table) => blameText(lines, table), asked);
  return ExitCode.ok;
}
