import { readForAnalysis } from "../../app/offline/read-for-analysis.ts";
import { readVersion } from "../../app/process/version.ts";
import { type Report, analyze as runAnalyzers } from "../../config/analysis/analyze.ts";
import { analyzers } from "../../config/analysis/analyzers.ts";
import { issueMessages, validationAnalyzer } from "../../config/analysis/issue-messages.ts";
import { type Message, messageJson } from "../../config/analysis/message.ts";
import { inOrder } from "../../config/analysis/order.ts";
import { sarifOf } from "../../config/analysis/sarif.ts";
import { isInNamespaces, isSuppressed } from "../../config/analysis/suppression.ts";
import { reaches } from "../../config/analysis/threshold.ts";
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
import { counted } from "../text/counted.ts";

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
    "analyze --list-analyzers",
  ],
  problem: "something was found that is as bad as the failure threshold",
  async run(args, terminal) {
    const given = readFlags(args, analysisFlags, paths);
    if (given.has("list-analyzers")) return listAnalyzers(terminal);
    const notation = given.choice("output", analysisNotations);
    const settings = readAnalysisFlags(given, terminal);
    const found = given.has("server") ? await askServer(given) : await look(given, settings, terminal);
    const wanted = found.messages.filter((message) => isWanted(message, settings));
    const shown = inOrder(wanted).filter((message) => reaches(message, settings.outputThreshold));
    if (notation === "text") printText(shown, found, terminal);
    else if (notation === "sarif") terminal.print(inNotation(sarifOf(shown, { version: readVersion() }), "json"));
    else terminal.print(inNotation(shown.map(messageJson), notation));
    return wanted.some((message) => reaches(message, settings.failureThreshold)) ? ExitCode.problem : ExitCode.ok;
  },
};

/** What was found, wherever. */
interface Found extends Pick<Report, "messages" | "skipped"> {
  /** The files that messages are about, where they can be read. */
  readonly textOf: (file: string) => string | undefined;
  /** What was looked at. */
  readonly about: string;
}

async function look(given: ReadFlags, settings: AnalysisSettings, terminal: Terminal): Promise<Found> {
  if (given.positionals.length === 0) throw new MeshError("bad-option", `expected ${paths.expected}, found none`);
  const { inputs, textOf } = await openInputs(given.positionals, terminal);
  const { defaultNamespace, kubeconfig } = settings;
  const mesh = await readForAnalysis({ inputs, ...readMeshFlags(given, terminal), defaultNamespace, kubeconfig });
  const { messages, skipped } = runAnalyzers(analyzers, mesh.input);
  const validation = issueMessages(mesh.issues, mesh.find);
  return { messages: [...validation, ...messages], skipped, textOf, about: counted(mesh.objects, "object") };
}

/** Its files are on its own machine. */
async function askServer(given: ReadFlags): Promise<Found> {
  const { positionals } = given;
  if (positionals.length > 0) throw new MeshError("bad-option", `--server: not together with ${positionals.join(" ")}`);
  const server = given.value("server");
  const { messages, skipped, total } = await fetchAnalysis(server);
  const rest = total > messages.length ? `, the worst ${messages.length} of ${total}` : "";
  return { messages, skipped, textOf: () => undefined, about: `server ${server}${rest}` };
}

function isWanted(message: Message, { suppressions, namespaces }: AnalysisSettings): boolean {
  if (isSuppressed(message, suppressions)) return false;
  return namespaces === undefined || isInNamespaces(message, namespaces);
}

function printText(messages: readonly Message[], { textOf, about, skipped }: Found, terminal: Terminal): void {
  const { print, complain, coloured } = terminal;
  for (const message of messages) print(messageText(message, { textOf, coloured: coloured.print }));
  if (skipped.length > 0) complain(skippedText(skipped));
  complain(`${about}, ${messageCount(messages)}`);
}

/** Most often because there is no cluster behind the mesh. */
function skippedText(skipped: Report["skipped"]): string {
  const unknown = [...new Set(skipped.flatMap((each) => each.unknown))].join(", ");
  const names = skipped.map((each) => each.analyzer).join(", ");
  return `${counted(skipped.length, "analyzer")} skipped, since nothing is known of ${unknown}: ${names}`;
}

function listAnalyzers({ print }: Terminal): ExitCode {
  const all = [...analyzers, validationAnalyzer].map(({ name, description }) => [name, description] as const);
  const width = largest(all.map(([name]) => name.length));
  for (const [name, description] of all) print(`${name.padEnd(width)}  ${description}`);
  return ExitCode.ok;
}
