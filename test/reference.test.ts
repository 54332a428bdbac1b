import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collectionsTopic } from "../src/admin/ctrlz/collections.ts";
import { configTopic } from "../src/admin/ctrlz/config.ts";
import { metricsTopic } from "../src/admin/ctrlz/metrics-topic.ts";
import { processTopics } from "../src/admin/ctrlz/process-topics.ts";
import { profilingRoutes } from "../src/admin/ctrlz/profiling-routes.ts";
import { scopesTopic } from "../src/admin/ctrlz/scopes.ts";
import type { Topic } from "../src/admin/ctrlz/topic.ts";
import { type AnalysisPageState, analysisPage as analysisRoute } from "../src/admin/galley/analysis.ts";
import { GalleyMetrics } from "../src/admin/metrics/galley-metrics.ts";
import { McpMetrics } from "../src/admin/metrics/mcp-metrics.ts";
import { Metrics } from "../src/admin/metrics/metrics.ts";
import { PilotMetrics } from "../src/admin/metrics/pilot-metrics.ts";
import { StatusMetrics } from "../src/admin/metrics/status-metrics.ts";
import { type ConflictState, conflicts } from "../src/admin/pilot/conflicts.ts";
import { forceDisconnect } from "../src/admin/pilot/force-disconnect.ts";
import type { Route } from "../src/admin/route.ts";
import { galleyPages, httpRoutes, pilotPages } from "../src/admin/routes.ts";
import type { Addresses, GalleyState, PilotState } from "../src/admin/state.ts";
import { RegistrationMetrics } from "../src/admin/webhook/registration-metrics.ts";
import { WebhookMetrics } from "../src/admin/webhook/webhook-metrics.ts";
import type { AnalysisState } from "../src/app/analysis/analysis.ts";
import { installAnalysisGauges } from "../src/app/gauges/analysis-gauges.ts";
import { installBuildGauge } from "../src/app/gauges/build-gauge.ts";
import { installConflictGauges } from "../src/app/gauges/conflict-gauges.ts";
import { installGalleyGauges } from "../src/app/gauges/galley-gauges.ts";
import { installPilotGauges, type PilotGauged } from "../src/app/gauges/pilot-gauges.ts";
import { countRegistryEvents } from "../src/app/gauges/registry-events.ts";
import { LogScopes } from "../src/app/log/log-scopes.ts";
import { installMcpGauges } from "../src/app/mcp/mcp-gauges.ts";
import { optionRows } from "../src/app/options/options.ts";
import type { Pipeline } from "../src/app/pipeline.ts";
import { installSourceGauges } from "../src/app/sources/source-gauges.ts";
import { commands } from "../src/cli/commands.ts";
import { exitCodes } from "../src/cli/help.ts";
import { Graph } from "../src/collection/graph.ts";
import { analyzers } from "../src/config/analysis/analyzers.ts";
import { validationAnalyzer } from "../src/config/analysis/issue-messages.ts";
import { messageTypes } from "../src/config/analysis/messages.ts";
import { snapshotStrategies } from "../src/config/kind.ts";
import { kinds } from "../src/config/kinds.ts";
import { outputOf } from "../src/config/output-of.ts";
import { meshErrors } from "../src/lib/errors.ts";
import { RecordingLogger } from "../src/testing/recording/recording-logger.ts";

const folder = join(import.meta.dirname, "../docs/reference");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const lines = [head, head.map(() => "---"), ...escaped].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}

function flags(): string {
  const rows = optionRows.map(([, { name, env, type, defaultText, doc }]) => [
    `\`--${`${name} ${type.placeholder}`.trim()}\``,
    env.map((variable) => `\`${variable}\``).join(", "),
    defaultText === "" ? "–" : `\`${defaultText}\``,
    doc,
  ]);
  return `# Settings

Flags of \`binnacle serve\` and, as far as they are not the other's, of \`binnacle galley\` and \`binnacle pilot\`; the same by environment
variable and, by the flag's name, as a line of the file that \`--config-file\` names. A flag counts more than the environment, that more than the file, that more than the default.

${table(["flag", "environment", "default", "meaning"], rows)}`;
}

const servers = new Set(["serve", "galley", "pilot"]);

function commandPages(): string {
  const sections = commands.map(({ name, usage, summary, flags: known, examples, problem }) => {
    const rows = known.map(({ name, short, placeholder, doc, default: byDefault }) => [
      `\`${short === undefined ? "" : `-${short}, `}--${`${name} ${placeholder}`.trim()}\``,
      byDefault === "" ? "–" : `\`${byDefault}\``,
      doc,
    ]);
    const codes = exitCodes(problem).map(([code, meaning]) => `${code}: ${meaning}`);
    return `## ${name}

${summary}

\`\`\`sh
${[`binnacle ${name} ${usage}`, "", ...examples.map((example) => `binnacle ${example}`)].join("\n")}
\`\`\`

${servers.has(name) ? "Its flags are the [settings](flags.md).\n" : table(["flag", "default", "meaning"], rows)}
Exit codes: ${codes.join("; ")}.
`;
  });
  return `# Commands

Every command has \`--help\`. Data goes to stdout, everything else to stderr; colours are used on a terminal only.

${sections.join("\n")}`;
}

function errors(): string {
  const rows = Object.entries(meshErrors).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return `# Errors

The codes of errors that leave the process: in logs, as gRPC statuses and as messages of commands.

${table(["code", "meaning"], rows)}`;
}

function metrics(): string {
  const all = new Metrics();
  for (const Part of [PilotMetrics, GalleyMetrics, McpMetrics, WebhookMetrics, RegistrationMetrics, StatusMetrics])
    void new Part(all);
  // Only the descriptions are looked at, so the gauges are never asked for their values.
  installBuildGauge(all, "", []);
  installPilotGauges(all, {} as PilotGauged);
  installGalleyGauges(all, {} as GalleyState);
  installAnalysisGauges(all, () => ({}) as AnalysisState);
  installConflictGauges(all, () => []);
  installMcpGauges(all, () => []);
  installSourceGauges(all, () => []);
  const graph = new Graph();
  countRegistryEvents(all, { galley: graph, pilot: graph } as Pipeline);
  const ours = all.registry.getMetricsAsArray().filter(({ name }) => !/^(?:process|nodejs)_/.test(name));
  const rows = ours.map((metric) => {
    const { labelNames } = metric as unknown as { readonly labelNames: readonly string[] };
    return [`\`${metric.name}\``, labelNames.map((label) => `\`${label}\``).join(", ") || "–", metric.help];
  });
  return `# Metrics

Served at \`/metrics\` (\`--metrics\`), beside those of the process. Names that begin with \`pilot_\` or \`galley_\` are
Istio's and mean what they mean there; types are \`cds\`, \`eds\`, \`lds\`, \`rds\` (their URLs where sizes are counted),
times are in seconds unless the name says otherwise. Each collection has a gauge of its own, such as \`galley_istio_networking_gateways\` with the labels
\`namespace\`, \`name\` and \`version\`: 1 for every object that is there, and once 0 for one that is gone. With more than
a thousand objects it is empty: \`galley_runtime_state_type_instances_total\` says how many there are.

${table(
  ["metric", "labels", "meaning"],
  rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
)}`;
}

function kindPage(): string {
  const rows = kinds.map((kind) => {
    const { group, versions, aliases = [], scope, schema, collection, snapshot = "default" } = kind;
    const served = [...versions.map((version) => (group === "" ? version : `${group}/${version}`)), ...aliases];
    const output = outputOf(kind);
    return [
      `${kind.kind}${kind.requiredForServiceDiscovery ? " ◆" : ""}${scope === "cluster" ? " (cluster)" : ""}`,
      served.map((apiVersion) => `\`${apiVersion}\``).join(", "),
      `\`${schema.typeName}\``,
      `\`${collection}\``,
      output === undefined ? "–" : `\`${output}\`, ${snapshot}`,
    ];
  });
  return `# Kinds

The objects that sources are read for. Unknown fields of Istio's kinds are errors; of Kubernetes' own kinds only the
part is read that somebody here needs. Sources fill the collection of a kind; what it leaves Galley as, and in which
snapshots, is in the last column. A kind without one is what others are made of: services, gateways, routes. Without
\`--service-discovery\` the kinds with a ◆ are not read. Snapshots: ${Object.entries(snapshotStrategies)
    .map(([group, strategy]) => `\`${group}\` (${strategy})`)
    .join(", ")}.

${table(["kind", "API versions", "message", "collection", "leaves as"], rows)}`;
}

function analysisPage(): string {
  const found = analyzers.map(({ name, description, inputs, needs = [] }) => {
    const needed = new Set(needs.map(({ kind }) => kind));
    const read = inputs.map(({ kind }) => (needed.has(kind) ? `${kind} ◆` : kind));
    return [`\`${name}\``, description, read.toSorted().join(", ")];
  });
  const validation = [`\`${validationAnalyzer.name}\``, validationAnalyzer.description, "every kind"];
  const codes = messageTypes.map(({ code, name, level, template }) => [`\`${code}\``, name, level, template]);
  return `# Analysis

What \`binnacle analyze\` and \`/debug/analysis\` look for. Codes, names and levels are those of Istio of mid-2026, the
sentences are ours; what begins with \`BIN\` is said by Binnacle alone. A message is left out where its object has the annotation \`galley.istio.io/analyze-suppress\` with
the code, or \`*\`, among its values, and by \`--suppress "CODE=Kind namespace/name"\`, where \`*\` stands for any text.

## Analyzers

An analyzer is skipped, and that is said, where nothing is known of the kinds with a ◆: in a mesh that is made of
ServiceEntries and has no object of Kubernetes' own kinds, or where a source does not read them. Without a cluster,
\`analyze\` takes Istio's own ingress gateway to be there.

${table(["analyzer", "looks for", "reads"], [...found, validation])}
## In the objects themselves

With \`--analysis-status\` what is found in a cluster (\`--source kube:\`) also stands in \`status.validationMessages\` of the
object that it is about, and goes when the object is mended: type with code and name, level, documentationUrl, and the
message itself where the definition of the kind has room for it, which today's of Istio do not. Of several processes one
writes, by the Lease \`binnacle-analysis\`; other fields of a status are not touched, nothing is written where nothing
differs, and nobody is pushed anything because of it. An object has at most 50.

## Messages

${table(["code", "name", "level", "says"], codes)}`;
}

/** Only their descriptions are looked at, so nothing is asked of the state. */
function debugPages(): readonly Route[] {
  const state = {} as PilotState;
  const pages = [...galleyPages({} as GalleyState), ...pilotPages(state), forceDisconnect(state)];
  const others = [conflicts({} as ConflictState), analysisRoute({} as AnalysisPageState)];
  return httpRoutes({ emitters: [], addresses: () => ({}) as Addresses, pages: [...pages, ...others] })
    .filter(({ path }) => path.startsWith("/debug"))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function introspectionPage(): string {
  const scopes = new LogScopes(new RecordingLogger(), {});
  const topics: readonly Topic[] = [
    scopesTopic(scopes),
    configTopic({ snapshots: () => new Map() }),
    collectionsTopic(new Map()),
    metricsTopic(new Metrics()),
    ...processTopics({ argv: [], env: {} }, ""),
  ];
  const profiles = profilingRoutes({ cpu: async () => ({}), heap: async () => ({}) });
  return `# Introspection

Served at \`--ctrlz\`, on loopback until told otherwise; there is no password, so whoever can reach it may use it. Pages
of other sites are refused.

${table(
  ["page", "as JSON", "what it shows"],
  topics.map(({ prefix, doc }) => [`\`/${prefix}z/\``, `\`/${prefix}j/\``, doc]),
)}
One object of a snapshot: \`/configj/resource?group=GROUP&collection=COLLECTION&name=NAME\`. Values in the environment and
on the command line whose name or shape is that of a secret are masked; what is in a Secret is never shown.

## Log scopes

Set with \`--log-level\`, and changed while the server runs: on \`/scopez/\`, or with

\`\`\`sh
curl -X PUT http://127.0.0.1:9876/scopej/xds -d '{"output_level": "debug"}'
\`\`\`

${table(
  ["scope", "what it logs"],
  scopes.list().map(({ name, doc }) => [`\`${name}\``, doc]),
)}
## Profiles

With \`--profiling\`, for the developer tools of Chrome or of an editor. The inspector's port is never opened.

${table(
  ["page", "what it is"],
  profiles.map(({ path, doc }) => [`\`${path}\``, doc]),
)}
## Debug pages

Served at \`--http\` to whoever is on the machine, and from elsewhere to those who prove that they run the mesh
([who sees what](../recipes/securing-xds.md)). All but \`/debug\` answer with JSON. Over xDS, \`istioctl\` asks for the
same: types \`istio.io/debug/syncz\`, \`istio.io/debug/config_dump\` with the name of one proxy, and \`istio.io/debug\`
with a page such as \`syncz?namespace=x\`; without TLS only from the machine itself.

${table(
  ["page", "what it shows"],
  debugPages().map(({ path, doc }) => [`\`${path}\``, doc]),
)}
## Probes

| what | live | ready |
| --- | --- | --- |
| over HTTP, at \`--http\` | \`/healthz\` | \`/ready\`: 503 names what is awaited |
| by files | \`--liveness-file\` | \`--readiness-file\` |

A file is written every half \`--probe-interval\` and removed when it no longer holds, and at the end. \`binnacle probe --file
FILE --interval DURATION\` fails when it is missing or older than that.
`;
}

/** Pages that are made from tables in the code, and so never differ from it. */
test.each([
  ["analysis.md", analysisPage],
  ["commands.md", commandPages],
  ["flags.md", flags],
  ["errors.md", errors],
  ["introspection.md", introspectionPage],
  ["kinds.md", kindPage],
  ["metrics.md", metrics],
])("docs/reference/%s says what the code says (UPDATE_DOCS=1 npm test -- test/reference.test.ts)", (file, render) => {
  const path = join(folder, file);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, render());
  expect(readFileSync(path, "utf8")).toBe(render());
});
