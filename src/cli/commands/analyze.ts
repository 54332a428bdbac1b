import { allAnalyzers } from "../../app/analysis/patch-values.ts";
import { readForAnalysis } from "../../app/offline/read-for-analysis.ts";
import { readVersion } from "../../app/process/version.ts";
import { type AnalysisReport, analyzeStepwise } from "../../config/analysis/analyze.ts";
import type { AnalysisInput } from "../../config/analysis/analyzer.ts";
import { issueMessages, validationAnalyzer } from "../../config/analysis/issue-messages.ts";
import { type Message, messageJson, reaches } from "../../config/analysis/message.ts";
import { inOrder } from "../../config/analysis/order.ts";
import { sarifOf } from "../../config/analysis/sarif.ts";
import { isInNamespaces, isSuppressed } from "../../config/analysis/suppression.ts";
import { counted } from "../../lib/counted.ts";
import { MeshError } from "../../lib/errors.ts";
import { largest } from "../../lib/extremes.ts";
import { type Command, ExitCode, type Terminal } from "../command.ts";
import { type AnalysisSettings, analysisFlags, analysisNotations, readAnalysisFlags } from "../flags/analysis-flags.ts";
import { readMeshFlags } from "../flags/mesh-flags.ts";
import { inNotation } from "../flags/notation.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { messageCount, messageText } from "../issues/message-text.ts";
import { fetchAnalysis } from "../mesh/fetch-analysis.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { readWithProgress, warnOfEmpty } from "../mesh/open-mesh.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { Progress } from "../text/progress.ts";
import { ChangePrinter } from "../watch/change-printer.ts";
import type { WatchedItem } from "../watch/item-changes.ts";
import { watch } from "../watch/watch.ts";

const paths = { expected: "DIR…, FILE… or kube:", atLeast: 0, atMost: Infinity };

export const command: Command = {
  usage: "DIR…|FILE…|kube:[CONTEXT]|--server ADDR [flags]",
  flags: analysisFlags,
  examples: [
    "analyze ./mesh",
    "analyze ./mesh --mesh mesh.yaml --failure-threshold Warning",
    'analyze ./mesh --suppress "IST0102=Namespace legacy-*"',
    "analyze ./mesh -o sarif > analysis.sarif",
    "analyze kube: --namespace shop",
    "analyze new-routes.yaml kube:staging",
    "analyze --server 127.0.0.1:8080",
    "analyze --server 127.0.0.1:8080 --watch",
    "analyze --list-analyzers",
  ],
  problem: "a message reaches the failure threshold",
  async run(args, terminal) {
    const given = readFlags(args, analysisFlags, paths);
    if (given.has("list-analyzers")) return listAnalyzers(terminal);
    const notation = given.choice("output", analysisNotations);
    const settings = readAnalysisFlags(given, terminal);
    if (given.has("watch")) return await watchServer(given, { settings, notation }, terminal);
    const found = given.has("server") ? await askServer(given, terminal) : await look(given, settings, terminal);
    const wanted = found.messages.filter((message) => isWanted(message, settings));
    const shown = inOrder(wanted).filter((message) => reaches(message, settings.outputThreshold));
    if (found.ignored !== undefined) terminal.complain(found.ignored);
    if (notation === "text") printText(shown, found, { ...terminal, verbose: given.has("verbose") });
    else if (notation === "sarif") terminal.printData(inNotation(sarifOf(shown, { version: readVersion() }), "json"));
    else terminal.printData(inNotation(shown.map(messageJson), notation));
    return exitCodeOf(wanted, settings);
  },
};

function exitCodeOf(wanted: readonly Message[], { failureThreshold }: AnalysisSettings): ExitCode {
  return wanted.some((message) => reaches(message, failureThreshold)) ? ExitCode.problem : ExitCode.ok;
}

interface WatchOptions {
  readonly settings: AnalysisSettings;
  readonly notation: (typeof analysisNotations)[number];
}

/** Messages come and go; they never change. */
async function watchServer(given: ReadFlags, { settings, notation }: WatchOptions, terminal: Terminal) {
  if (!given.has("server")) throw new MeshError("bad-option", "--watch: only with --server");
  if (notation === "sarif") throw new MeshError("bad-option", "--watch: not with -o sarif");
  refusePaths(given);
  const server = given.value("server");
  const printer = new ChangePrinter(notation, terminal);
  const read = async () => (await fetchAnalysis(server)).messages.filter((message) => isWanted(message, settings));
  const show = (wanted: readonly Message[]) => {
    const shown = inOrder(wanted).filter((message) => reaches(message, settings.outputThreshold));
    printer.show({ items: shown.map((message) => watchedMessage(message, terminal)) });
  };
  const exitCode = (wanted: readonly Message[]) => exitCodeOf(wanted, settings);
  const events = { server, types: new Set(["reset", "configuration"] as const) };
  return await watch({ from: `--server ${server}`, read, show, exitCode, events }, terminal);
}

function watchedMessage(message: Message, { coloured }: Terminal): WatchedItem {
  const object = messageJson(message);
  const text = messageText(message, { textOf: () => undefined, coloured: coloured.print });
  return { key: JSON.stringify(object), object, cells: [text] };
}

/** The findings, of a server or of files. */
interface Found extends Pick<AnalysisReport, "messages" | "skipped"> {
  /** A sentence about objects that were read but are not analyzed. */
  readonly ignored?: string | undefined;
  /** The files that messages are about, where they can be read. */
  readonly textOf: (file: string) => string | undefined;
  /** The name of the analyzed input. */
  readonly about: string;
}

async function look(given: ReadFlags, settings: AnalysisSettings, terminal: Terminal): Promise<Found> {
  if (given.positionals.length === 0) throw new MeshError("bad-option", `expected ${paths.expected}, found none`);
  const { inputs, textOf } = await openInputs(given.positionals, terminal);
  const { defaultNamespace, kubeconfig } = settings;
  const options = { inputs, ...readMeshFlags(given, terminal), defaultNamespace, kubeconfig };
  const mesh = await readWithProgress(given.positionals, () => readForAnalysis(options), terminal);
  warnOfEmpty(mesh.empty, terminal);
  const { messages, skipped } = analyzeWithProgress(mesh.input, terminal);
  const validation = issueMessages(mesh.issues, mesh.find);
  const about = counted(mesh.objects, "object");
  return { messages: [...validation, ...messages], skipped, ignored: mesh.ignored, textOf, about };
}

/** Analyzers block the thread, so progress is shown between them. */
function analyzeWithProgress(input: AnalysisInput, terminal: Terminal): AnalysisReport {
  let done = 0;
  using progress = new Progress(terminal, () => `analyzing, ${done} of ${allAnalyzers.length} analyzers done`);
  const steps = analyzeStepwise(allAnalyzers, input);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    done += 1;
    progress.tick();
  }
}

/** Shows no file content, because the files are on the machine of the server. */
async function askServer(given: ReadFlags, terminal: Terminal): Promise<Found> {
  refusePaths(given);
  const server = given.value("server");
  const { messages, skipped, total } = await withServerProgress(server, terminal, () => fetchAnalysis(server));
  const rest = total > messages.length ? `, the worst ${messages.length} of ${total}` : "";
  return { messages, skipped, textOf: () => undefined, about: `server ${server}${rest}` };
}

function refusePaths({ positionals }: ReadFlags): void {
  if (positionals.length > 0) throw new MeshError("bad-option", `--server: not together with ${positionals.join(" ")}`);
}

function isWanted(message: Message, { suppressions, namespaces }: AnalysisSettings): boolean {
  if (isSuppressed(message, suppressions)) return false;
  return namespaces === undefined || isInNamespaces(message, namespaces);
}

function printText(
  messages: readonly Message[],
  { textOf, about, skipped }: Found,
  { print, complain, coloured, verbose }: Terminal & { readonly verbose: boolean },
): void {
  for (const message of messages) print(messageText(message, { textOf, coloured: coloured.print }));
  if (skipped.length > 0) complain(skippedText(skipped, verbose));
  complain(`${about}, ${messageCount(messages)}`);
}

/** Analyzers are mostly skipped because the mesh has no cluster. */
function skippedText(skipped: AnalysisReport["skipped"], verbose: boolean): string {
  const count = `${counted(skipped.length, "analyzer")} skipped`;
  if (!verbose) return `${count} without objects of a cluster (--verbose lists them)`;
  return [`${count}:`, ...skipped.map(({ analyzer, unknown }) => `  ${analyzer}: no ${unknown.join(", ")}`)].join("\n");
}

function listAnalyzers({ print }: Terminal): ExitCode {
  const all = [...allAnalyzers, validationAnalyzer].map(({ name, description }) => [name, description] as const);
  const width = largest(all.map(([name]) => name.length));
  for (const [name, description] of all) print(`${name.padEnd(width)}  ${description}`);
  return ExitCode.ok;
}
