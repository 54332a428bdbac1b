import { isMapping } from "../../lib/is-mapping.ts";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isLabelKey, isLabelValue, isNamespaceName, isObjectName } from "../grammar/names.ts";
import type { Kind } from "../kind.ts";
import { show } from "../proto-json/value-result.ts";

/** The part of `metadata` that we use. Other fields of Kubernetes are ignored. */
export interface ObjectMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: number;
}

/** Reads `metadata`. An invalid field gets a harmless value and a finding. */
export function readMetadata(
  raw: unknown,
  kind: Kind,
  defaultNamespace: string,
): { readonly metadata: ObjectMetadata; readonly findings: readonly Finding[] } {
  const fields = isMapping(raw) ? raw : {};
  const name = textOf(fields["name"]);
  const namespace = kind.scope === "cluster" ? "" : textOf(fields["namespace"]) || defaultNamespace;
  const metadata: ObjectMetadata = {
    name,
    namespace,
    labels: textsOf(fields["labels"]),
    annotations: textsOf(fields["annotations"]),
    createdAt: timeOf(fields["creationTimestamp"]),
  };
  const findings = [
    ...nameFindings(fields["name"]),
    ...(kind.scope === "cluster" ? [] : namespaceFindings(namespace)),
    ...textMapFindings(fields["labels"], "metadata.labels", labelFindings),
    ...textMapFindings(fields["annotations"], "metadata.annotations", () => []),
  ];
  return { metadata, findings };
}

function nameFindings(raw: unknown): readonly Finding[] {
  const path = "metadata.name";
  if (raw === undefined || raw === null || raw === "") {
    return [error(path, { code: "missing-name", message: "metadata.name is missing" })];
  }
  if (typeof raw === "string" && isObjectName(raw)) return [];
  const hint = "use lower-case letters, digits, dashes and dots";
  return [error(path, { code: "bad-name", message: `${show(raw)} cannot name an object`, hint })];
}

function namespaceFindings(namespace: string): readonly Finding[] {
  if (isNamespaceName(namespace)) return [];
  const message = `${show(namespace)} cannot name a namespace`;
  const hint = "use at most 63 lower-case letters, digits and dashes";
  return [error("metadata.namespace", { code: "bad-namespace", message, hint })];
}

function textMapFindings(
  raw: unknown,
  path: string,
  check: (key: string, value: string, path: string) => readonly Finding[],
): readonly Finding[] {
  if (raw === undefined || raw === null) return [];
  if (!isMapping(raw)) return [error(path, { code: "wrong-type", message: `expected a mapping, found ${show(raw)}` })];
  return Object.entries(raw).flatMap(([key, value]) => {
    const at = fieldPath(path, key);
    if (typeof value === "string") return check(key, value, at);
    const message = `expected text, found ${show(value)}`;
    return error(at, { code: "wrong-type", message, hint: "put it in quotes" });
  });
}

/** Labels as Kubernetes defines them: in metadata, in selectors, in subsets. */
export function labelFindings(key: string, value: string, path: string): readonly Finding[] {
  // Most labels are valid, and a mesh has a few for each of its endpoints.
  if (isLabelKey(key) && isLabelValue(value)) return [];
  return [
    ...errorUnless(isLabelKey(key), path, { code: "bad-label", message: `${show(key)} cannot be the key of a label` }),
    ...errorUnless(isLabelValue(value), path, {
      code: "bad-label",
      message: `${show(value)} cannot be the value of a label`,
      hint: "use at most 63 letters, digits, dashes, underscores and dots, with a letter or digit at both ends",
    }),
  ];
}

function textOf(raw: unknown): string {
  return typeof raw === "string" ? raw : "";
}

function textsOf(raw: unknown): Readonly<Record<string, string>> {
  const entries = isMapping(raw) ? Object.entries(raw) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function timeOf(raw: unknown): number {
  const time = typeof raw === "string" ? Date.parse(raw) : 0;
  return Number.isNaN(time) ? 0 : time;
}
