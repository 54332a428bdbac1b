import { collectionsTopic } from "../../src/admin/ctrlz/collections.ts";
import { configTopic } from "../../src/admin/ctrlz/config.ts";
import { metricsTopic } from "../../src/admin/ctrlz/metrics-topic.ts";
import { processTopics } from "../../src/admin/ctrlz/process-topics.ts";
import { profilingRoutes } from "../../src/admin/ctrlz/profiling-routes.ts";
import { scopesTopic } from "../../src/admin/ctrlz/scopes.ts";
import type { Topic } from "../../src/admin/ctrlz/topic.ts";
import { type AnalysisPageState, analysisPage as analysisRoute } from "../../src/admin/galley/analysis.ts";
import { Metrics } from "../../src/admin/metrics/metrics.ts";
import { type ConflictState, conflictsPage } from "../../src/admin/pilot/conflicts.ts";
import { forceDisconnectPage } from "../../src/admin/pilot/force-disconnect.ts";
import type { Route } from "../../src/admin/route.ts";
import { galleyPages, httpRoutes, pilotPages } from "../../src/admin/routes.ts";
import type { Addresses, GalleyState, PilotState } from "../../src/admin/state.ts";
import { LogScopes } from "../../src/app/log/log-scopes.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { markdownTable } from "./table.ts";

/** Only their descriptions are looked at, so nothing is asked of the state. */
export function debugPages(): readonly Route[] {
  const state = {} as PilotState;
  const pages = [...galleyPages({} as GalleyState), ...pilotPages(state), forceDisconnectPage(state)];
  const others = [conflictsPage({} as ConflictState), analysisRoute({} as AnalysisPageState)];
  return httpRoutes({
    emitters: [],
    build: { name: "", version: "", commit: "" },
    addresses: () => ({}) as Addresses,
    pages: [...pages, ...others],
  })
    .filter(({ path }) => path.startsWith("/debug"))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function introspectionPage(): string {
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

Served at \`--ctrlz\` to whoever is on the machine, and from elsewhere to those who prove that they run the mesh ([who sees
what](../recipes/securing-xds.md#debug-pages)). Pages of other sites are refused.

${markdownTable(
  ["page", "as JSON", "description"],
  topics.map(({ prefix, doc }) => [`\`/${prefix}z/\``, `\`/${prefix}j/\``, doc]),
)}
One object of a snapshot: \`/configj/resource?group=GROUP&collection=COLLECTION&name=NAME\`. Values in the environment and
on the command line whose name or shape is that of a secret are masked; what is in a Secret is never shown.

## Log scopes

Set with \`--log-level\`, and changed while the server runs: on \`/scopez/\`, or with

\`\`\`sh
curl -X PUT http://127.0.0.1:9876/scopej/xds -d '{"output_level": "debug"}'
\`\`\`

${markdownTable(
  ["scope", "description"],
  scopes.list().map(({ name, doc }) => [`\`${name}\``, doc]),
)}
## Profiles

With \`--profiling\`, for the developer tools of Chrome or of an editor. The inspector's port is never opened.

${markdownTable(
  ["page", "what it is"],
  profiles.map(({ path, doc }) => [`\`${path}\``, doc]),
)}
## Debug pages

Served at \`--http\`, likewise; those with a ◆ also show a workload the proxies of its own namespace. All but \`/debug\`
answer with JSON. Over xDS, \`istioctl\` asks for the same: types \`istio.io/debug/syncz\`, \`istio.io/debug/config_dump\`
with the name of one proxy, and \`istio.io/debug\` with a page such as \`syncz?namespace=x\`; without TLS only from the
machine itself.

${markdownTable(
  ["page", "description"],
  debugPages().map(({ path, doc, answerWithin }) => [`\`${path}\`${answerWithin === undefined ? "" : " ◆"}`, doc]),
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
