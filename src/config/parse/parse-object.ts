import type { Message } from "@bufbuild/protobuf";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { scalarText } from "../../lib/scalar-text.ts";
import { type Config, type ConfigId, configId, configKey, type Origin, type SourceLocation } from "../config.ts";
import { contentVersion } from "../content-version.ts";
import { effectFindings } from "../effect/effect-findings.ts";
import { error, errorUnless, type Finding, hasErrors, isRefused, type Remark } from "../finding.ts";
import type { Issue } from "../issue.ts";
import type { Kind } from "../kind.ts";
import { decode } from "../proto-json/proto-json.ts";
import { forbiddenAnnotations } from "../rules/forbidden-annotations.ts";
import { rolloutFindings } from "../rules/rollout-annotations.ts";
import { maxIssuesOfObject } from "../yaml/limits.ts";
import { findKind } from "./find-kind.ts";
import { firstOf, moreIssues } from "./first-issues.ts";
import { type ObjectMetadata, readMetadata } from "./metadata.ts";
import type { RawObject } from "./raw-object.ts";
import { substituteOf } from "./substitute.ts";

export interface ObjectContext {
  readonly file: string;
  readonly source: string;
  readonly kinds: readonly Kind[];
  readonly defaultNamespace: string;
  /** False if the document has syntax errors: then the object is only identified, not read. */
  readonly readable: boolean;
  /** Severity of unknown fields in the spec. The default is error. */
  readonly unknownFields?: Issue["severity"];
  /** Whether invalid objects are returned as far as they can be read. Analysis uses it. */
  readonly keepInvalid?: boolean;
}

export interface ParsedObject {
  /** Absent if there is an error, and for foreign kinds. */
  readonly config: Config<Message> | undefined;
  readonly issues: readonly Issue[];
  readonly broken: boolean;
  /** In force instead of a broken object without an earlier version; absent for most kinds. */
  readonly substitute?: Config<Message> | undefined;
  /** The id of the object, broken or not, if it is certain. */
  readonly id: ConfigId | undefined;
  /** The start of the object. */
  readonly place: SourceLocation;
}

/** Reads one object: its kind, its metadata, its spec, and the rules of its kind. */
export function parseObject(object: RawObject, context: ObjectContext): ParsedObject {
  const { row, meant = row, findings } = findKind(object, context.kinds);
  const place = object.locate("");
  const read = meant && readMetadata(object.fields["metadata"], meant, context.defaultNamespace);
  const id = meant && read && idOf(object, meant, read, context.readable);
  if (row === undefined || read === undefined || !context.readable) {
    const broken = !context.readable || hasErrors(findings);
    const issues = context.readable ? issuesAt(object, foreignName(object, findings), findings) : [];
    const substitute = broken && id !== undefined ? substituteFor(object, meant, context) : undefined;
    return { config: undefined, issues, broken, substitute, id, place };
  }
  const { metadata, findings: metadataFindings } = withoutSecrets(read, row);
  const built = buildConfig(object, { row, metadata, context });
  // If the message is the whole object, its metadata is checked twice.
  const known = new Set(metadataFindings.map(({ path }) => path));
  const news = built.findings.filter(({ path }) => !known.has(path));
  const forbidden = row.builtIn ? [] : annotationFindings(row.kind, metadata.annotations);
  const found = [...findings, ...topLevelFindings(object, row), ...metadataFindings, ...forbidden, ...news];
  const name = metadata.name === "" ? row.kind : `${row.kind} ${configKey(metadata)}`;
  const broken = isRefused(found);
  const issues = issuesAt(object, name, found);
  if (!broken) return { config: built.config, issues, broken, id, place };
  // The meaning of fields in an unknown version is unknown.
  const isReadable = findings.length === 0 && metadata.name !== "";
  if (!context.keepInvalid || !isReadable) {
    const substitute = id === undefined ? undefined : substituteFor(object, row, context);
    return { config: undefined, issues, broken, substitute, id, place };
  }
  const itsId = configId(row.kind, metadata.namespace, metadata.name);
  return { config: built.config, issues, broken: built.config === undefined, id: itsId, place };
}

function annotationFindings(kind: string, annotations: Readonly<Record<string, string>>): readonly Finding[] {
  return [...forbiddenAnnotations(kind, annotations), ...rolloutFindings(kind, annotations)];
}

type ReadMetadata = ReturnType<typeof readMetadata>;

/** Annotations of a Secret may repeat its content, as `kubectl apply` does. Only Istio's own are kept. */
function withoutSecrets(read: ReadMetadata, row: Kind): ReadMetadata {
  if (row.seal === undefined) return read;
  const { metadata, findings } = read;
  const istio = Object.entries(metadata.annotations).filter(([name]) => /^(?:[^/]+\.)?istio\.io\//u.test(name));
  return { metadata: { ...metadata, annotations: Object.fromEntries(istio) }, findings: findings.map(withoutValue) };
}

/** A finding that quotes nothing. */
function withoutValue({ severity, path, code }: Finding): Finding {
  const message = "the value cannot be used here; it is not shown, because it may be secret";
  return { severity, path, code, message };
}

/** After a syntax error only the identity is certain. A spec that ends early may select too few workloads. */
function substituteFor(object: RawObject, row: Kind | undefined, context: ObjectContext): Config<Message> | undefined {
  if (row === undefined || context.keepInvalid) return undefined;
  const { metadata } = readMetadata(object.fields["metadata"], row, context.defaultNamespace);
  const spec = context.readable ? object.fields["spec"] : undefined;
  return substituteOf({ row, metadata, spec, origin: originOf(object, row, context) });
}

/** The name of an object whose kind is certain but not read; "" for others. */
function foreignName({ fields }: RawObject, findings: readonly Finding[]): string {
  const isForeign = findings.some(({ code }) => code === "ignored-kind" || code === "unsupported-kind");
  if (!isForeign) return "";
  const { kind, metadata } = fields;
  const [namespace, name] = isMapping(metadata) ? [metadata["namespace"], metadata["name"]].map(scalarText) : [];
  return `${scalarText(kind)} ${namespace ? `${namespace}/` : ""}${name ?? ""}`.trimEnd();
}

/**
 * The id of an object, if it is complete. An invalid name is no id. A truncated file may end in the middle of a name,
 * so a field after the metadata must follow. Some kinds of Kubernetes need only a name. For these the document must be
 * readable.
 */
function idOf(
  { fields }: RawObject,
  row: Kind,
  { metadata, findings }: ReadMetadata,
  readable: boolean,
): ConfigId | undefined {
  const isNamed = !findings.some(({ path }) => path === "metadata.name" || path === "metadata.namespace");
  const isComplete = row.builtIn ? readable || hasBody(fields) : "spec" in fields;
  return isNamed && isComplete ? configId(row.kind, metadata.namespace, metadata.name) : undefined;
}

function hasBody(fields: RawObject["fields"]): boolean {
  return Object.keys(fields).some((field) => !["apiVersion", "kind", "metadata"].includes(field));
}

const topLevelFields = ["apiVersion", "kind", "metadata", "spec", "status"];

function topLevelFindings({ fields }: RawObject, { builtIn }: Kind): readonly Finding[] {
  if (builtIn) return [];
  const unknown = Object.keys(fields).filter((field) => !topLevelFields.includes(field));
  return unknown.map((field) => {
    const meant = didYouMean(field, topLevelFields);
    const remark: Remark = { code: "unknown-field", message: `an object has no field "${field}"` };
    return error(field, meant === undefined ? remark : { ...remark, hint: `did you mean "${meant}"?` });
  });
}

interface Parts {
  readonly row: Kind;
  readonly metadata: ObjectMetadata;
  readonly context: ObjectContext;
}

function buildConfig(
  object: RawObject,
  { row, metadata, context }: Parts,
): { readonly config: Config<Message> | undefined; readonly findings: readonly Finding[] } {
  const { raw, path } = bodyOf(object, row);
  const needsSpec: Remark = { code: "missing-spec", message: `a ${row.kind} needs a spec` };
  const missing = errorUnless(raw !== undefined, path, needsSpec);
  if (missing.length > 0 && !context.keepInvalid) return { config: undefined, findings: missing };
  const unknownFields = row.builtIn ? "ignored" : context.unknownFields;
  const decoded = decode(row.schema, raw ?? {}, { path, defaults: row.defaults?.(), unknownFields });
  const findings = row.seal === undefined ? decoded.findings : decoded.findings.map(withoutValue);
  if (decoded.message === undefined) return { config: undefined, findings };
  const { spec: message, ...secret } = row.seal?.(decoded.message) ?? { spec: decoded.message };
  const content = { ...metadata, kind: row.kind, apiVersion: String(object.fields["apiVersion"]), spec: message };
  const version = contentVersion({ ...content, ...secret }, row.schema);
  const { status } = object.fields;
  const said = status === undefined || row.builtIn ? {} : { status };
  const config = { ...content, ...said, ...secret, version, origin: originOf(object, row, context) };
  const judged = [...missing, ...findings, ...(row.validate?.(config, raw) ?? [])];
  if (isRefused(judged)) return { config, findings: judged };
  // Fields with an earlier issue get no second one.
  const known = new Set(judged.map((finding) => finding.path));
  const vain = effectFindings(row, message, path).filter((finding) => finding.path === "" || !known.has(finding.path));
  return { config, findings: [...judged, ...vain] };
}

/** The part of an object that its message holds, and its path. */
function bodyOf({ fields }: RawObject, { body, builtIn }: Kind): { readonly raw: unknown; readonly path: string } {
  if (body === "object") return { raw: fields, path: "" };
  return { raw: fields["spec"] ?? (builtIn ? {} : undefined), path: "spec" };
}

function originOf({ text, locate, locateLater }: RawObject, { seal }: Kind, { source }: ObjectContext): Origin {
  const origin = { source, reference: referenceTo(locate("")), locate: locateLater };
  return seal === undefined ? { ...origin, text } : origin;
}

/** The reference in an origin. It has no column, because objects start at the beginning of a line. */
export function referenceTo({ file, line }: SourceLocation): string {
  return `${file}:${line}`;
}

function issuesAt({ locate }: RawObject, object: string, findings: readonly Finding[]): readonly Issue[] {
  const { kept, left } = firstOf(findings, maxIssuesOfObject);
  const issues = kept.map((finding) => ({ ...finding, object, place: locate(finding.path) }));
  return left.length === 0 ? issues : [...issues, moreIssues(left, { object, place: locate("") })];
}
