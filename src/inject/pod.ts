import { isMapping } from "../lib/is-mapping.ts";
import { isTooDeepValue, maxJsonDepth } from "../lib/json-depth.ts";

/** A JSON object. The injection reads only the fields that it needs, and keeps the others. */
export type Fields = Readonly<Record<string, unknown>>;

/** Labels or annotations. */
export type Texts = Readonly<Record<string, string>>;

export interface EnvVar {
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly Fields[];
  readonly [field: string]: unknown;
}

export interface Volume {
  readonly name: string;
  readonly [field: string]: unknown;
}

interface PodMetadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly imagePullSecrets?: readonly Volume[];
  readonly [field: string]: unknown;
}

/** A Pod, or the template of one. */
export interface Pod {
  readonly metadata: PodMetadata;
  readonly spec: PodSpec;
  readonly [field: string]: unknown;
}

export type ReadPod = { readonly pod: Pod } | { readonly problem: string };

/** Checks the fields that the injection reads. Never throws. Kubernetes checks all others. */
export function readPod(raw: unknown): ReadPod {
  if (isTooDeepValue(raw)) return { problem: `it is nested more than ${maxJsonDepth} levels deep` };
  const problem = problemIn(raw);
  if (problem !== undefined) return { problem };
  const { metadata, spec, ...rest } = raw as Fields;
  return { pod: { metadata: withoutNulls(metadata ?? {}), ...rest, spec: cleanSpec(spec) } as unknown as Pod };
}

/** Null means absent, as in Kubernetes. */
function cleanSpec(spec: unknown): Fields {
  const fields = withoutNulls(spec);
  const lists = ["containers", "initContainers"].filter((name) => Array.isArray(fields[name]));
  return {
    ...fields,
    ...Object.fromEntries(lists.map((name) => [name, (fields[name] as unknown[]).map(withoutNulls)])),
  };
}

function withoutNulls(fields: unknown): Fields {
  return Object.fromEntries(Object.entries(fields as Fields).filter(([, value]) => value !== null));
}

function problemIn(raw: unknown): string | undefined {
  if (!isMapping(raw)) return "expected a mapping";
  const { metadata = {}, spec } = raw;
  if (metadata !== null && !isMapping(metadata)) return "metadata: expected a mapping";
  if (!isMapping(spec)) return "spec: expected a mapping";
  return (
    problemOfTexts(metadata?.["labels"], "metadata.labels") ??
    problemOfTexts(metadata?.["annotations"], "metadata.annotations") ??
    ["name", "generateName", "namespace"]
      .filter((name) => !isAbsent(metadata?.[name]) && typeof metadata?.[name] !== "string")
      .map((name) => `metadata.${name}: expected a text`)[0] ??
    problemOfContainers(spec["containers"] ?? undefined, "spec.containers") ??
    problemOfContainers(spec["initContainers"] ?? [], "spec.initContainers") ??
    problemOfNamed(spec["volumes"], "spec.volumes") ??
    problemOfNamed(spec["imagePullSecrets"], "spec.imagePullSecrets")
  );
}

function problemOfTexts(raw: unknown, path: string): string | undefined {
  if (isAbsent(raw)) return undefined;
  if (!isMapping(raw)) return `${path}: expected a mapping`;
  const bad = Object.entries(raw).find(([, value]) => typeof value !== "string");
  return bad && `${path}: expected a text for ${JSON.stringify(bad[0])}, found ${typeof bad[1]}; use quotes`;
}

function problemOfContainers(raw: unknown, path: string): string | undefined {
  if (!Array.isArray(raw)) return `${path}: expected a list`;
  const problem = problemOfNamed(raw, path);
  if (problem !== undefined) return problem;
  for (const [index, container] of raw.entries()) {
    const at = `${path}[${index}]`;
    const wrong =
      problemOfNamed(container.env, `${at}.env`) ??
      problemOfMappings(container.ports, `${at}.ports`) ??
      problemOfMappings(container.volumeMounts, `${at}.volumeMounts`) ??
      ["securityContext", "lifecycle", "readinessProbe", "livenessProbe", "startupProbe", "resources"]
        .filter((name) => !isAbsent(container[name]) && !isMapping(container[name]))
        .map((name) => `${at}.${name}: expected a mapping`)[0];
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function problemOfNamed(raw: unknown, path: string): string | undefined {
  const problem = problemOfMappings(raw, path);
  if (problem !== undefined || !Array.isArray(raw)) return problem;
  const index = raw.findIndex(({ name }) => typeof name !== "string");
  return index < 0 ? undefined : `${path}[${index}].name: expected a text`;
}

function problemOfMappings(raw: unknown, path: string): string | undefined {
  if (isAbsent(raw)) return undefined;
  if (!Array.isArray(raw)) return `${path}: expected a list`;
  const index = raw.findIndex((item) => !isMapping(item));
  return index < 0 ? undefined : `${path}[${index}]: expected a mapping`;
}

function isAbsent(raw: unknown): raw is null | undefined {
  return raw === undefined || raw === null;
}
