import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { MeshNetworksSchema } from "#gen/istio/mesh/v1alpha1/network_pb.js";
import type { Config } from "../config.ts";
import { hasErrors } from "../finding.ts";
import type { Issue } from "../issue.ts";
import { apiVersionOf, type Kind } from "../kind.ts";
import { meshConfig } from "../kinds/mesh-config.ts";
import { meshNetworks } from "../kinds/mesh-networks.ts";
import { type Locate, parseDocuments, type YamlDocument } from "../yaml/yaml.ts";
import { parseObject } from "./parse-object.ts";
import type { RawObject } from "./raw-object.ts";

/** A file whose only document is a message, without apiVersion, kind or name. */
interface MessageFile<Desc extends DescMessage> {
  readonly kind: Kind<Desc>;
  /** The name of the only object in its collection. */
  readonly name: string;
}

export interface MessageText {
  readonly text: string;
  readonly file: string;
  readonly source: string;
}

export interface ParsedMessage<Desc extends DescMessage = DescMessage> {
  /** Absent if there is an error: callers keep the last good one. */
  readonly config: Config<MessageShape<Desc>> | undefined;
  readonly issues: readonly Issue[];
}

/**
 * Reads such a file. Unset fields get the defaults of the kind, so an empty file means "all defaults". An unknown field
 * is a warning: a file for a newer Istio must not lose its other settings. Never throws.
 */
function parseMessageFile<Desc extends DescMessage>(
  { kind, name }: MessageFile<Desc>,
  { text, file, source }: MessageText,
): ParsedMessage<Desc> {
  const [document = emptyDocument(file), second] = parseDocuments(text, file);
  const syntax = [...document.issues, ...(second === undefined ? [] : [severalDocuments(second)])];
  if (hasErrors(syntax)) return { config: undefined, issues: syntax };
  const { config, issues } = parseObject(asObject({ kind, name }, document), {
    file,
    source,
    kinds: [kind],
    defaultNamespace: "",
    readable: true,
    unknownFields: "warning",
  });
  // The object has the schema of the only kind in its context.
  return {
    config: config as Config<MessageShape<Desc>> | undefined,
    issues: [...syntax, ...issues.map(withoutSpec)],
  };
}

/** Wraps the message as the spec of an object, so that the same code reads both. */
function asObject<Desc extends DescMessage>(
  { kind, name }: MessageFile<Desc>,
  { value, text, locate, locateLater }: YamlDocument,
): RawObject {
  const fields = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name },
    spec: value,
  };
  return { fields, text, locate: inside(locate), locateLater: inside(locateLater) };
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
  return { value: {}, line: 1, issues: [], text: "", locate, locateLater: locate };
}

function severalDocuments({ locate }: YamlDocument): Issue {
  const message = "this file must contain exactly one document";
  return { severity: "error", code: "several-documents", object: "", path: "", message, place: locate("") };
}

export type ParsedMeshConfig = ParsedMessage<typeof MeshConfigSchema>;

/** Reads a mesh configuration file. Unset fields get Istio's defaults. Never throws. */
export function parseMeshConfig(input: MessageText): ParsedMeshConfig {
  return parseMessageFile({ kind: meshConfig, name: "mesh" }, input);
}

/** Reads a file with the networks of a mesh: their endpoints and their gateways. Never throws. */
export function parseMeshNetworks(input: MessageText): ParsedMessage<typeof MeshNetworksSchema> {
  return parseMessageFile({ kind: meshNetworks, name: "networks" }, input);
}
