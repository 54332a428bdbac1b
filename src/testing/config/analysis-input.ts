import { analysisInput } from "../../config/analysis/analysis-input.ts";
import { analyze } from "../../config/analysis/analyze.ts";
import type { AnalysisInput } from "../../config/analysis/analyzer.ts";
import { analyzers } from "../../config/analysis/analyzers.ts";
import { builtIns as builtInsOf } from "../../config/analysis/built-ins.ts";
import { subjectText } from "../../config/analysis/message.ts";
import { type Config, configKey } from "../../config/config.ts";
import type { Kind } from "../../config/kind.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { kindServedAs, kinds } from "../../config/kinds.ts";
import { parseMeshConfig } from "../../config/parse/mesh-files.ts";
import { parseConfigs } from "../../config/parse/parse.ts";

interface AnalysisInputOptions {
  /** A mesh configuration, as YAML. */
  readonly mesh?: string;
  readonly defaultNamespace?: string;
  /** True if the input counts Istio's own gateway as present. */
  readonly builtIns?: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

interface FindingsOptions extends AnalysisInputOptions {
  /** Name of the analyzer. Default: all analyzers. */
  readonly analyzer?: string;
}

/** The objects of some texts as analyzers see them, the invalid ones included. */
export function inputFrom(
  texts: readonly { readonly file: string; readonly text: string }[],
  { mesh = "", defaultNamespace = "default", ...options }: AnalysisInputOptions = {},
): AnalysisInput {
  const parsed = texts.flatMap(
    ({ file, text }) => parseConfigs({ text, file, source: file, kinds, defaultNamespace, keepInvalid: true }).configs,
  );
  const { config } = parseMeshConfig({ text: mesh, file: "mesh.yaml", source: "mesh.yaml" });
  return inputOf([...parsed, ...(config === undefined ? [] : [config])], options);
}

/** Any objects as analyzers see them. */
export function inputOf(
  configs: readonly Config[],
  { builtIns = true, now = 0 }: AnalysisInputOptions = {},
): AnalysisInput {
  const byCollection = Map.groupBy(configs, (config) => collectionOf(config));
  const views = new Map(
    Array.from(byCollection, ([collection, all]) => [collection, new Map(all.map((each) => [configKey(each), each]))]),
  );
  const viewOf = ({ collection }: Kind) => views.get(collection) ?? new Map<string, Config>();
  return analysisInput({ domain: "cluster.local", now, viewOf, assumed: builtIns ? builtInsOf(viewOf) : [] });
}

function collectionOf({ apiVersion, kind }: Config): string {
  const row = kind === meshConfig.kind ? meshConfig : kindServedAs(kinds, apiVersion, kind);
  return row?.collection ?? "";
}

/**
 * Findings of one analyzer, or of all, about some objects. Each is `CODE Kind namespace/name field`, in reading order.
 */
export function findingsOf(text: string, { analyzer, ...options }: FindingsOptions = {}): readonly string[] {
  const chosen = analyzers.filter(({ name }) => analyzer === undefined || name === analyzer);
  const { messages } = analyze(chosen, inputFrom([{ file: "mesh.yaml", text }], options));
  return messages.map((message) => `${message.type.code} ${subjectText(message)} ${message.path}`.trim());
}

/** The codes of the findings of one analyzer about some objects, in a mesh with these settings. */
export function codesOf(analyzer: string, text: string, mesh = ""): readonly string[] {
  return findingsOf(text, { analyzer, mesh }).map((line) => line.slice(0, "IST0000".length));
}
