import { analysisInput } from "../../config/analysis/analysis-input.ts";
import type { AnalysisInput } from "../../config/analysis/analyzer.ts";
import { builtIns } from "../../config/analysis/built-ins.ts";
import { type Config, type ConfigId, configId } from "../../config/config.ts";
import { foldIssues } from "../../config/fold-issues.ts";
import type { Issue } from "../../config/issue.ts";
import { kinds } from "../../config/kinds.ts";
import { immediate } from "../../galley/snapshotter/strategy.ts";
import { viewsOf } from "../analysis/analysis-views.ts";
import { buildGalley } from "../build-galley.ts";
import { systemClock } from "../process/system-clock.ts";
import { emptyFiles } from "../sources/empty-files.ts";
import { meshSources } from "../sources/sources.ts";
import { issuesOf } from "./issues-of.ts";
import { isClusterUrl, readCluster } from "./read-cluster.ts";
import type { OfflineOptions } from "./offline-pipeline.ts";
import { sourceOf } from "./source-of.ts";

export interface OfflineAnalysisOptions
  extends Pick<OfflineOptions, "inputs" | "mesh" | "networks" | "domain" | "allowUnenforced"> {
  /** For objects that name no namespace. */
  readonly defaultNamespace: string;
  /** How to reach the API servers among the inputs. */
  readonly kubeconfig?: string | undefined;
}

/** A mesh as analyzers see it, and the issues in its files. */
export interface AnalysableMesh {
  readonly input: AnalysisInput;
  /** By file and place. */
  readonly issues: readonly Issue[];
  /** A sentence about the objects that are not mesh configuration; absent where there are none. */
  readonly ignored: string | undefined;
  /** The files and directories that hold nothing at all. */
  readonly empty: readonly string[];
  readonly objects: number;
  /** The object that an issue names `Kind namespace/name`. */
  readonly find: (object: string) => Config | undefined;
}

/**
 * Reads a mesh once for analysis, through the pipeline of a server, but keeps objects that a server would reject.
 * Without a cluster among the inputs, assumes Istio's own ingress gateway. Throws `source-unavailable`.
 */
export async function readForAnalysis(options: OfflineAnalysisOptions): Promise<AnalysableMesh> {
  const { mesh, networks, domain, allowUnenforced } = options;
  const { named, clusters } = await namedSources(options);
  const { galley, processor } = buildGalley({
    sources: [...meshSources({ mesh, networks }, systemClock), ...named],
    settings: { domain },
    allowUnenforced,
    distributor: { distribute: () => {} },
    strategyOf: () => immediate(),
    onSnapshotError: () => {},
  });
  try {
    await processor.start();
    await processor.idle();
  } finally {
    await processor.stop();
  }
  const collections = processor.outputsOf("localAnalysis");
  const forbidden = new Set(clusters.flatMap((cluster) => cluster.forbidden));
  const viewOf = viewsOf(
    collections,
    kinds.filter((kind) => !forbidden.has(kind)),
  );
  const objects = [...collections.values()].flatMap((each) => [...each.values()]);
  const byId = new Map(objects.map((config) => [configId(config.kind, config.namespace, config.name), config]));
  const issues = issuesOf({ processor, problems: galley.problems, originOf: (id) => byId.get(id)?.origin }).filter(
    // Files over a cluster are expected to repeat names of the cluster.
    ({ code }) => code !== "name-clash" || clusters.length === 0,
  );
  return {
    input: analysisInput({ domain, now: Date.now(), viewOf, assumed: clusters.length > 0 ? [] : builtIns(viewOf) }),
    issues,
    ignored: foldIssues(issues).ignored,
    find: (object) => byId.get(idOf(object)),
    empty: emptyFiles(processor),
    objects: objects.length,
  };
}

/** In order of precedence, clusters last: objects to be applied override the objects of the cluster. */
async function namedSources({ inputs, kubeconfig, defaultNamespace }: OfflineAnalysisOptions) {
  const reading = { defaultNamespace, keepInvalid: true };
  const distinct = [...new Set(inputs)];
  const files = distinct.filter((input) => !isClusterUrl(input));
  const clusters = await Promise.all(distinct.filter(isClusterUrl).map((url) => readCluster(url, kubeconfig)));
  const sources = await Promise.all(files.map((input) => sourceOf(input, reading)));
  return { clusters, named: [...sources, ...clusters.map(({ source }) => source)] };
}

function idOf(object: string): ConfigId {
  const [kind = "", key = ""] = object.split(" ");
  const [name = "", namespace = ""] = key.split("/").toReversed();
  return configId(kind, namespace, name);
}
