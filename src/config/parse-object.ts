import type { Message } from "@bufbuild/protobuf";
import { type Config, configKey, type Origin } from "./config.ts";
import { contentVersion } from "./content-version.ts";
import { didYouMean } from "./did-you-mean.ts";
import { error, type Remark, warning } from "./finding.ts";
import type { Issue } from "./issue.ts";
import type { Finding, Kind } from "./kind.ts";
import { kindInGroup, splitApiVersion } from "./kinds.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { decode } from "./proto-json.ts";
import type { RawObject } from "./raw-object.ts";

export interface ObjectKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectContext {
  readonly file: string;
  readonly source: string;
  readonly kinds: readonly Kind[];
  readonly defaultNamespace: string;
  /** False when the document has syntax errors: then the object is only told apart, not read. */
  readonly readable: boolean;
}

export interface ParsedObject {
  readonly config: Config<Message> | undefined;
  readonly issues: readonly Issue[];
  readonly broken: boolean;
  readonly key: ObjectKey | undefined;
}

/** Reads one object: which kind it is, its metadata, its spec, and what its kind says about them. */
export function parseObject(object: RawObject, context: ObjectContext): ParsedObject {
  const { row, findings } = findKind(object, context.kinds);
  if (row === undefined) {
    const broken = !context.readable || findings.some(({ severity }) => severity === "error");
    return {
      config: undefined,
      issues: context.readable ? issuesAt(object, "", findings) : [],
      broken,
      key: undefined,
    };
  }
  const { metadata, findings: metadataFindings } = readMetadata(
    object.fields["metadata"],
    row,
    context.defaultNamespace,
  );
  const { namespace, name } = metadata;
  const key = name === "" ? undefined : { kind: row.kind, namespace, name };
  if (!context.readable) return { config: undefined, issues: [], broken: true, key };
  const built = buildConfig(object, { row, metadata, context });
  const all = [...findings, ...topLevelFindings(object), ...metadataFindings, ...built.findings];
  const issues = issuesAt(object, name === "" ? row.kind : `${row.kind} ${configKey(metadata)}`, all);
  const broken = all.some(({ severity }) => severity === "error");
  return { config: broken ? undefined : built.config, issues, broken, key };
}

interface Identified {
  readonly row: Kind | undefined;
  readonly findings: readonly Finding[];
}

function findKind({ fields }: RawObject, kinds: readonly Kind[]): Identified {
  const { apiVersion, kind } = fields;
  if (typeof kind !== "string" || kind === "") return unidentified("kind", "kind is missing");
  if (typeof apiVersion !== "string" || apiVersion === "") return unidentified("apiVersion", "apiVersion is missing");
  const { group, version } = splitApiVersion(apiVersion);
  const row = kindInGroup(kinds, group, kind);
  if (row === undefined) return { row, findings: [unknownKind(kind, group, kinds)] };
  if (row.versions.includes(version)) return { row, findings: [] };
  const message = `${kind} has no version "${version}" in ${group}`;
  const hint = `known versions are ${row.versions.join(", ")}`;
  return { row, findings: [error("apiVersion", { code: "unknown-version", message, hint })] };
}

function unidentified(path: string, message: string): Identified {
  return { row: undefined, findings: [error(path, { code: "missing-kind", message })] };
}

/** A warning only: directories hold Deployments and the like beside what is ours. */
function unknownKind(kind: string, group: string, kinds: readonly Kind[]): Finding {
  const inGroup = kinds.filter((row) => row.group === group).map((row) => row.kind);
  const meant = didYouMean(kind, inGroup);
  const message = `${kind} of ${group === "" ? "the core group" : group} is not a kind we read; the object is ignored`;
  const hint = meant === undefined ? {} : { hint: `did you mean ${meant}?` };
  return warning("kind", { code: "unknown-kind", message, ...hint });
}

const topLevelFields = ["apiVersion", "kind", "metadata", "spec", "status"];

function topLevelFindings({ fields }: RawObject): readonly Finding[] {
  const unknown = Object.keys(fields).filter((field) => !topLevelFields.includes(field));
  return unknown.map((field) => {
    const meant = didYouMean(field, topLevelFields);
    const remark: Remark = { code: "unknown-field", message: `an object has no field "${field}"` };
    return error(field, meant === undefined ? remark : { ...remark, hint: `did you mean "${meant}"?` });
  });
}

interface Parts {
  readonly row: Kind;
  readonly metadata: Metadata;
  readonly context: ObjectContext;
}

function buildConfig(
  object: RawObject,
  { row, metadata, context }: Parts,
): { readonly config: Config<Message> | undefined; readonly findings: readonly Finding[] } {
  const raw = object.fields["spec"];
  if (raw === undefined || raw === null) {
    const missing = error("spec", { code: "missing-spec", message: `a ${row.kind} needs a spec` });
    return { config: undefined, findings: [missing] };
  }
  const { message, findings } = decode(row.schema, raw, { path: "spec", defaults: row.defaults?.() });
  if (message === undefined) return { config: undefined, findings };
  const content = { ...metadata, kind: row.kind, apiVersion: String(object.fields["apiVersion"]), spec: message };
  const version = contentVersion(content, row.schema);
  const config = { ...content, version, origin: originOf(object, context) };
  return { config, findings: [...findings, ...row.validate(config)] };
}

function originOf({ locate, locateLater }: RawObject, { file, source }: ObjectContext): Origin {
  return { source, reference: `${file}:${locate("").line}`, locate: locateLater };
}

function issuesAt({ locate }: RawObject, object: string, findings: readonly Finding[]): readonly Issue[] {
  return findings.map((finding) => ({ ...finding, object, place: locate(finding.path) }));
}
