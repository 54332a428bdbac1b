import { collectionsTopic } from "../../src/admin/ctrlz/collections.ts";
import { configTopic } from "../../src/admin/ctrlz/config.ts";
import { metricsTopic } from "../../src/admin/ctrlz/metrics-topic.ts";
import { processTopics } from "../../src/admin/ctrlz/process-topics.ts";
import { profilingRoutes } from "../../src/admin/ctrlz/profiling-routes.ts";
import { scopesTopic } from "../../src/admin/ctrlz/scopes.ts";
import type { Topic } from "../../src/admin/ctrlz/topic.ts";
import { type AnalysisPageState, analysisPage as analysisRoute } from "../../src/admin/galley/analysis.ts";
import { workloadGroupPage } from "../../src/admin/galley/workload-group.ts";
import { Metrics } from "../../src/admin/metrics/metrics.ts";
import { type CaReport, caPage } from "../../src/admin/pilot/ca.ts";
import { type RotationReport, rotationPage } from "../../src/admin/pilot/ca-rotation.ts";
import { type ConflictState, conflictsPage } from "../../src/admin/pilot/conflicts.ts";
import { type EnvoyFilterState, envoyFiltersPage } from "../../src/admin/pilot/envoy-filters.ts";
import { forceDisconnectPage } from "../../src/admin/pilot/force-disconnect.ts";
import { jwksPage } from "../../src/admin/pilot/jwks.ts";
import { objectProgressPage } from "../../src/admin/pilot/object-progress.ts";
import { quarantinePage } from "../../src/admin/pilot/quarantine-page.ts";
import { rolloutsPage } from "../../src/admin/pilot/rollouts-page.ts";
import type { Route } from "../../src/admin/route.ts";
import { galleyPages, httpRoutes, pilotPages } from "../../src/admin/routes.ts";
import type { Addresses, GalleyState, PilotState } from "../../src/admin/state.ts";
import { LogScopes } from "../../src/app/log/log-scopes.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import type { ObjectWaits } from "../../src/pilot/xds/status/progress/object-waits.ts";
import { markdownTable } from "./table.ts";
import { Overload } from "../../src/lib/overload/overload.ts";

/** The page needs only descriptions, so nothing reads the state. */
export function debugPages(): readonly Route[] {
  const state = {} as PilotState;
  const pages = [...galleyPages({} as GalleyState), ...pilotPages(state), forceDisconnectPage(state)];
  const others = [
    conflictsPage({} as ConflictState),
    analysisRoute({} as AnalysisPageState),
    envoyFiltersPage({} as EnvoyFilterState),
    jwksPage(() => [], state),
    quarantinePage(state, undefined),
    rolloutsPage(state, undefined),
    objectProgressPage({} as ObjectWaits, state),
    workloadGroupPage({ configs: new Map(), roots: () => [] }),
    caPage(() => ({}) as CaReport),
    rotationPage({ report: () => ({}) as RotationReport, carryOut: async () => {} }),
  ];
  return httpRoutes({
    emitters: [],
    build: { name: "", version: "", commit: "" },
    addresses: () => ({}) as Addresses,
    pages: [...pages, ...others],
    overload: new Overload(),
    stalls: () => 0,
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
  const profiles = profilingRoutes({ cpu: async () => ({}), heap: async () => ({}) }, () => false);
  return `# Introspection

Served at \`--ctrlz\`. Clients on the same machine may see these pages. From other machines, only authenticated operators
of the mesh may see them ([access to pages](../recipes/securing-xds.md#debug-pages)). Binnacle refuses requests from pages of
other sites.

${markdownTable(
  ["page", "as JSON", "description"],
  topics.map(({ prefix, doc }) => [`\`/${prefix}z/\``, `\`/${prefix}j/\``, doc]),
)}
One object of a snapshot: \`/configj/resource?group=GROUP&collection=COLLECTION&name=NAME\`. Values in the environment and
on the command line are masked if their name or shape is that of a secret. The content of a Secret is never shown.

## Log scopes

\`--log-level\` sets the levels. To change them while the server runs, use \`/scopez/\`, or:

\`\`\`sh
curl -X PUT http://127.0.0.1:9876/scopej/xds -d '{"output_level": "debug"}'
\`\`\`

${markdownTable(
  ["scope", "description"],
  scopes.list().map(({ name, doc }) => [`\`${name}\``, doc]),
)}
## Profiles

Available with \`--profiling\`, for the developer tools of Chrome or of an editor. The inspector's port is never open.

${markdownTable(
  ["page", "description"],
  profiles.map(({ path, doc }) => [`\`${path}\``, doc]),
)}
## Debug pages

Served at \`--http\`, to the same clients. Pages with a ◆ also show a workload the proxies of its own namespace. All pages
except \`/debug\` answer with JSON.

\`istioctl\` requests the same over xDS, without TLS only from the same machine:

- \`istio.io/debug/syncz\`
- \`istio.io/debug/config_dump\` with the name of one proxy
- \`istio.io/debug\` with a page such as \`syncz?namespace=x\`

${markdownTable(
  ["page", "description"],
  debugPages().map(({ path, doc, answerWithin }) => [`\`${path}\`${answerWithin === undefined ? "" : " ◆"}`, doc]),
)}
## Probes

| probe | live | ready |
| --- | --- | --- |
| over HTTP, at \`--http\` | \`/healthz\` | \`/ready\`: a 503 lists the awaited parts |
| by files | \`--liveness-file\` | \`--readiness-file\` |

Binnacle writes a file every half \`--probe-interval\`. It removes the file when the probe fails, and at the end. \`binnacle
probe --file FILE --interval DURATION\` fails if the file is missing or older than DURATION.
`;
}
