import { FileSegments } from "../../app/history/file-segments.ts";
import { openHistory } from "../../app/history/segment-store.ts";
import { optionTable } from "../../app/options/options.ts";
import type { History, MeshAt, Position } from "../../history/history.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { resourcesIn } from "../diff/compared-resources.ts";
import { type Difference, differencesOf } from "../diff/difference.ts";
import { differenceCount, differenceText } from "../diff/diff-text.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { readOptionFlags } from "../flags/mesh-flags.ts";
import { readNode, workloadFlags } from "../flags/node-flags.ts";
import { inNotation, isText, outputFlag, type TableForm, tableForms } from "../flags/notation.ts";
import { optionFlag } from "../flags/option-flag.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { blameObject, blameText } from "../history/blame-object.ts";
import { listMoments, momentsText, timeText } from "../history/list-moments.ts";
import { placeNamed } from "../history/logged-place.ts";
import { comparedObjects, entriesText, notFound, shownEntries, shownObject } from "../history/objects-at.ts";
import { blameProxy, blamedText, meshOf } from "../history/proxy-at.ts";
import { positionForms, readPosition } from "../history/read-position.ts";
import { complainOfLeft, restorable, restoreInto, writesOf } from "../history/restore-objects.ts";
import { dumpFor, readDump } from "../mesh/proxy-dump.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { printReport } from "../objects/print-report.ts";
import { givenStore, storeFlags } from "../objects/store-flags.ts";
import { resourceTables, tabledTypes } from "../proxies/resource-tables.ts";

const historyFlag: DocumentedFlag = {
  ...optionFlag(optionTable.history),
  doc: "Directory of the history that a server keeps.",
  default: "",
};

const flags: readonly DocumentedFlag[] = [
  historyFlag,
  valueFlag("since", "TIME", "list: shows only moments after this time.", ""),
  valueFlag("limit", "N", "list: shows at most so many moments, the newest ones.", "20"),
  valueFlag("to", "TIME", "diff: the moment to compare with.", "now"),
  ...workloadFlags.map((flag) => ({ ...flag, doc: `at TIME show|diff|blame PROXY: ${flag.doc}` })),
  ...storeFlags.map((flag) =>
    flag.name === "store" ? { ...flag, doc: "restore: the store to write to. Without it, prints the objects." } : flag,
  ),
  switchFlag("write", "restore: writes to the store. Without it, only shows what would be written."),
  switchFlag("prune", "restore: also deletes objects of the store that did not exist then."),
  outputFlag(tableForms),
];

const expected =
  "list [OBJECT], at TIME show|diff [OBJECT|PROXY], at TIME blame OBJECT|PROXY or restore TIME [OBJECT…]";

export const command: Command = {
  usage: "list|at TIME show|diff|blame OBJECT|restore TIME [flags]",
  flags,
  words: ["list", "at", "restore"],
  examples: [
    "history list --history ./history",
    "history list VirtualService/shop/reviews --since 24h --history ./history",
    "history at 14:03 show --history ./history",
    "history at 2026-11-18T14:03:00Z show VirtualService/shop/reviews --history ./history",
    "history at 10m diff --history ./history",
    "history at 120 diff VirtualService/shop/reviews --to 124 --history ./history",
    "history at now blame vs/shop/reviews --history ./history -o wide",
    "history at 14:03 show sidecar~web-0.shop --history ./history -o json",
    "history at 10m diff router~gw-0.istio-system --label app=gw --history ./history",
    "history restore 14:03 --history ./history > mesh.yaml",
  ],
  problem: "the object was not in force, diff finds a difference, or the history cannot be read",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: Infinity });
    const form = given.choice("output", tableForms);
    const history = await openHistory(new FileSegments(directoryOf(given, terminal)));
    const asked: Asked = { given, form, history, terminal, now: new Date() };
    const [word, ...rest] = given.positionals;
    if (word === "list") return await list(asked, rest);
    if (word === "restore") return await restore(asked, rest);
    const [time, question, object, ...others] = rest;
    if (word !== "at" || time === undefined || question === undefined || others.length > 0) throw misused(given);
    const position = readPosition(time, asked.now);
    if (object !== undefined && object.includes("~"))
      return await askProxy(asked, position, { question, node: object });
    const place = object === undefined ? undefined : placeNamed(object);
    if (question === "show") return await show(asked, position, place);
    if (question === "diff") return await diff(asked, position, place);
    if (question === "blame" && place !== undefined) return await blame(asked, position, place);
    throw misused(given);
  },
};

interface Asked {
  readonly given: ReadFlags;
  readonly form: TableForm;
  readonly history: History;
  readonly terminal: Terminal;
  readonly now: Date;
}

function misused({ positionals }: ReadFlags): MeshError {
  return new MeshError("bad-option", `expected ${expected}, found ${positionals.join(" ")}`);
}

/** From the flag, or from the variable that the server reads, too. */
function directoryOf(given: ReadFlags, terminal: Terminal): string {
  const { history } = readOptionFlags(given, [historyFlag], terminal);
  if (history === "off") throw new MeshError("bad-option", "--history is missing: name the directory of the server");
  return history;
}

async function list({ given, form, history, terminal, now }: Asked, rest: readonly string[]): Promise<ExitCode> {
  const [object, ...others] = rest;
  if (others.length > 0) throw misused(given);
  const limit = given.value("limit");
  if (!/^[1-9]\d{0,8}$/u.test(limit)) throw new MeshError("bad-option", `--limit: expected a number, found ${limit}`);
  const since = given.has("since") ? readPosition(given.value("since"), now) : undefined;
  const moments = await listMoments(history, {
    limit: Number(limit),
    since: since === undefined ? 0 : await timeOf(history, since),
    place: object === undefined ? undefined : placeNamed(object),
  });
  const damaged = await history.damaged();
  if (damaged > 0) terminal.complain(`warning: ${damaged} records cannot be read`);
  print({ moments }, (table) => momentsText(moments, table), { form, terminal });
  return ExitCode.ok;
}

async function timeOf(history: History, position: Position): Promise<number> {
  return position.type === "time" ? position.at : (await meshAt(history, position)).moment.at;
}

/** Throws `not-found`. */
async function meshAt(history: History, position: Position): Promise<MeshAt> {
  const mesh = await history.at(position);
  if (mesh !== undefined) return mesh;
  throw new MeshError("not-found", `the history does not reach back to that time: TIME is ${positionForms}`);
}

async function show({ given, form, history, terminal }: Asked, position: Position, place: string | undefined) {
  const mesh = await meshAt(history, position);
  if (place === undefined) {
    const objects = shownEntries(mesh);
    print({ ...momentOf(mesh), objects }, (table) => entriesText(objects, table), { form, terminal });
    return ExitCode.ok;
  }
  const shown = shownObject(mesh, place, given.positionals.at(-1) ?? "");
  if (shown.redacted) terminal.complain("note: a key, a token or a password was left out");
  print({ ...momentOf(mesh), ...shown }, () => shown.yaml.trimEnd(), { form, terminal });
  return ExitCode.ok;
}

async function diff(asked: Asked, position: Position, place: string | undefined) {
  const { given, history, now } = asked;
  const before = await meshAt(history, position);
  const after = await meshAt(history, readPosition(given.value("to"), now));
  const differences = differencesOf(comparedObjects(before, place), comparedObjects(after, place));
  return printDifferences(asked, [before, after], differences);
}

function printDifferences(
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

async function blame({ given, form, history, terminal }: Asked, position: Position, place: string) {
  const lines = await blameObject(history, place, position);
  if (lines.length === 0) throw notFound(await meshAt(history, position), given.positionals.at(-1) ?? "");
  print({ lines }, (table) => blameText(lines, table), { form, terminal });
  return ExitCode.ok;
}

/** Questions about the resources that a proxy would have had at the moment. */
async function askProxy(
  asked: Asked,
  position: Position,
  { question, node }: { readonly question: string; readonly node: string },
): Promise<ExitCode> {
  const { given, form, history, terminal, now } = asked;
  const mesh = await meshAt(history, position);
  const sketch = { ...mesh.settings, certificates: { type: "none" }, metadata: {}, argument: "PROXY" } as const;
  const { proxy } = readNode(node, given, sketch);
  const offline = await meshOf(mesh, terminal);
  if (question === "blame") {
    const resources = blameProxy(mesh, offline, proxy);
    print({ ...momentOf(mesh), resources }, () => blamedText(resources), { form, terminal });
    return ExitCode.ok;
  }
  if (question === "show") {
    const { types, ...rest } = dumpFor(proxy, offline);
    const known = new Set<string>(proxyResourceTypes.map(({ typeUrl }) => typeUrl));
    const dump = { ...rest, types: types.filter(({ type_url }) => known.has(type_url)) };
    print({ ...momentOf(mesh), ...dump }, (table) => resourceTables(readDump(dump), tabledTypes, table), {
      form,
      terminal,
    });
    return ExitCode.ok;
  }
  if (question !== "diff") throw misused(given);
  const after = await meshAt(history, readPosition(given.value("to"), now));
  const differences = differencesOf(resourcesIn(offline, proxy), resourcesIn(await meshOf(after, terminal), proxy));
  return printDifferences(asked, [mesh, after], differences);
}

/** Shows what would be written, or writes it. */
async function restore({ given, form, history, terminal, now }: Asked, rest: readonly string[]): Promise<ExitCode> {
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
    terminal.printData(
      texts
        .map(({ text }) => text)
        .join("---\n")
        .trimEnd(),
    );
    return code;
  }
  const [dryRun, prune] = [!given.has("write"), given.has("prune")];
  if (prune && objects.length > 0) throw new MeshError("bad-option", "--prune: not with single objects");
  using store = await givenStore(given, terminal)();
  const report = await restoreInto(store, writes, { dryRun, prune });
  const written = printReport(report, { notation: isText(form) ? "text" : form, dryRun }, terminal);
  return written === ExitCode.ok ? code : written;
}

function momentOf({ moment }: MeshAt) {
  return { moment: moment.number, at: timeText(moment.at) };
}

function print(
  data: unknown,
  text: (form: "text" | "wide") => string,
  { form, terminal }: Pick<Asked, "form" | "terminal">,
): void {
  if (isText(form)) terminal.print(text(form));
  else terminal.printData(inNotation(data, form));
}
