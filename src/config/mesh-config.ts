import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Config } from "./config.ts";
import type { Issue } from "./issue.ts";
import { meshConfig } from "./kinds/mesh-config.ts";
import { parseObject } from "./parse-object.ts";
import type { RawObject } from "./raw-object.ts";
import { type Locate, parseDocuments, type YamlDocument } from "./yaml.ts";

/** The one object of its collection. */
const meshConfigName = "mesh";

export interface ParsedMeshConfig {
  /** Absent when there is an error: whoever holds the last good one keeps it. */
  readonly config: Config<MeshConfig> | undefined;
  readonly issues: readonly Issue[];
}

/**
 * Reads a mesh configuration file: no apiVersion and no kind, the document is the message. Unset fields get Istio's
 * defaults, so an empty file means "all defaults". Never throws.
 */
export function parseMeshConfig(input: {
  readonly text: string;
  readonly file: string;
  readonly source: string;
}): ParsedMeshConfig {
  const { text, file, source } = input;
  const [document = emptyDocument(file), second] = parseDocuments(text, file);
  const syntax = [...document.issues, ...(second === undefined ? [] : [severalDocuments(second)])];
  if (syntax.some(({ severity }) => severity === "error")) return { config: undefined, issues: syntax };
  const context = { file, source, kinds: [meshConfig], defaultNamespace: "", readable: true };
  const { config, issues } = parseObject(asObject(document), context);
  // The object was read with the schema of MeshConfig, the only kind in its context.
  return { config: config as Config<MeshConfig> | undefined, issues: [...syntax, ...issues.map(withoutSpec)] };
}

/** Dresses the message up as the spec of an object, so that both are read by the same code. */
function asObject({ value, locate, locateLater }: YamlDocument): RawObject {
  const fields = {
    apiVersion: `${meshConfig.group}/${meshConfig.versions[0]}`,
    kind: meshConfig.kind,
    metadata: { name: meshConfigName },
    spec: value,
  };
  return { fields, locate: inside(locate), locateLater: inside(locateLater) };
}

function inside(locate: Locate): Locate {
  return (path) => locate(unwrapped(path));
}

function withoutSpec(issue: Issue): Issue {
  return { ...issue, path: unwrapped(issue.path) };
}

function unwrapped(path: string): string {
  return path.replace(/^spec\.?/u, "");
}

function emptyDocument(file: string): YamlDocument {
  const locate: Locate = () => ({ file, line: 1, column: 1 });
  return { value: {}, line: 1, issues: [], locate, locateLater: locate };
}

function severalDocuments({ locate }: YamlDocument): Issue {
  const message = "a mesh configuration file holds one document";
  return { severity: "error", code: "several-documents", object: "", path: "", message, place: locate("") };
}
