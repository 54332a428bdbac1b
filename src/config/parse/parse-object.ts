import type { Message } from "@bufbuild/protobuf";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { type Config, type ConfigId, configId, configKey, type Origin, type Place } from "../config.ts";
import { contentVersion } from "../content-version.ts";
import { error, errorUnless, type Finding, hasErrors, type Remark } from "../finding.ts";
import type { Issue } from "../issue.ts";
import type { Kind } from "../kind.ts";
import { decode } from "../proto-json/proto-json.ts";
import { forbiddenAnnotations } from "../rules/annotations.ts";
import { maxIssuesOfObject } from "../yaml/limits.ts";
import { firstOf, moreIssues } from "./first-issues.ts";
import { findKind } from "./find-kind.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import type { RawObject } from "./raw-object.ts";

export interface ObjectContext {
  readonly file: string;
  readonly source: string;
  readonly kinds: readonly Kind[];
  readonly defaultNamespace: string;
  /** False when the document has syntax errors: then the object is only told apart, not read. */
  readonly readable: boolean;
  /** How bad fields of the spec are that its kind does not have: an error unless said otherwise. */
  readonly unknownFields?: Issue["severity"];
  /** Whether objects are given although something is wrong with them, as far as they can be read: for analysis. */
  readonly keepInvalid?: boolean;
}

export interface ParsedObject {
  /** Absent when there is an error, and for kinds that are not ours. */
  readonly config: Config<Message> | undefined;
  readonly issues: readonly Issue[];
  readonly broken: boolean;
  /** Which object it is, broken or not, if that can be told for sure. */
  readonly id: ConfigId | undefined;
  /** Where it starts. */
  readonly place: Place;
}

/** Reads one object: which kind it is, its metadata, its spec, and what its kind says about them. */
export function parseObject(object: RawObject, context: ObjectContext): ParsedObject {
  const { row, meant = row, findings } = findKind(object, context.kinds);
  const place = object.locate("");
  const id = meant && idOf(object, meant, context);
  if (row === undefined || !context.readable) {
    const broken = !context.readable || hasErrors(findings);
    const issues = context.readable ? issuesAt(object, "", findings) : [];
    return { config: undefined, issues, broken, id, place };
  }
  const { metadata, findings: metadataFindings } = readMetadata(
    object.fields["metadata"],
    row,
    context.defaultNamespace,
  );
  const built = buildConfig(object, { row, metadata, context });
  // Where the message is the whole object, its metadata is looked at twice.
  const known = new Set(metadataFindings.map(({ path }) => path));
  const news = built.findings.filter(({ path }) => !known.has(path));
  const forbidden = row.builtIn ? [] : forbiddenAnnotations(row.kind, metadata.annotations);
  const all = [...findings, ...topLevelFindings(object, row), ...metadataFindings, ...forbidden, ...news];
  const name = metadata.name === "" ? row.kind : `${row.kind} ${configKey(metadata)}`;
  const issues = issuesAt(object, name, all);
  const broken = hasErrors(all);
  if (!broken) return { config: built.config, issues, broken, id, place };
  // Of a version that we do not know nobody can tell what its fields mean.
  const isReadable = findings.length === 0 && metadata.name !== "";
  if (!context.keepInvalid || !isReadable) return { config: undefined, issues, broken, id, place };
  const itsId = configId(row.kind, metadata.namespace, metadata.name);
  return { config: built.config, issues, broken: built.config === undefined, id: itsId, place };
}

/**
 * A name that cannot be one names nothing; and a file that was cut off may end in the middle of a name: only where
 * something follows the metadata they are complete. Kubernetes has kinds of which nothing but the name needs to be
 * written, so there a document that can be read has to do.
 */
function idOf({ fields }: RawObject, row: Kind, { defaultNamespace, readable }: ObjectContext): ConfigId | undefined {
  const { metadata, findings } = readMetadata(fields["metadata"], row, defaultNamespace);
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
  readonly metadata: Metadata;
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
  const { message, findings } = decode(row.schema, raw ?? {}, { path, defaults: row.defaults?.(), unknownFields });
  if (message === undefined) return { config: undefined, findings };
  const content = { ...metadata, kind: row.kind, apiVersion: String(object.fields["apiVersion"]), spec: message };
  const version = contentVersion(content, row.schema);
  const { status } = object.fields;
  const said = status === undefined || row.builtIn ? {} : { status };
  const config = { ...content, ...said, version, origin: originOf(object, context) };
  return { config, findings: [...missing, ...findings, ...(row.validate?.(config, raw) ?? [])] };
}

/** The part of an object that is read into its message, and where it stands. */
function bodyOf({ fields }: RawObject, { body, builtIn }: Kind): { readonly raw: unknown; readonly path: string } {
  if (body === "object") return { raw: fields, path: "" };
  return { raw: fields["spec"] ?? (builtIn ? {} : undefined), path: "spec" };
}

function originOf({ text, locate, locateLater }: RawObject, { source }: ObjectContext): Origin {
  return { source, reference: referenceTo(locate("")), text, locate: locateLater };
}

/** As an origin names it: a column would say nothing, since objects start lines. */
export function referenceTo({ file, line }: Place): string {
  return `${file}:${line}`;
}

function issuesAt({ locate }: RawObject, object: string, findings: readonly Finding[]): readonly Issue[] {
  const { kept, left } = firstOf(findings, maxIssuesOfObject);
  const issues = kept.map((finding) => ({ ...finding, object, place: locate(finding.path) }));
  return left.length === 0 ? issues : [...issues, moreIssues(left, { object, place: locate("") })];
}
