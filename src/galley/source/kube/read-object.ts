import { type Config, configKey, type Origin } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import { apiVersionOf, type Kind } from "../../../config/kind.ts";
import { endpoints } from "../../../config/kinds/kubernetes.ts";
import { parseObject } from "../../../config/parse/parse-object.ts";
import { substituteOf } from "../../../config/parse/substitute.ts";
import type { KubeObject } from "../../../kube/kube-object.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { isTooDeepValue, maxJsonDepth } from "../../../lib/json-depth.ts";

/** The result of reading an object. Without a config the object is unusable, and the issues give the reason. */
export interface ParsedKubeObject {
  readonly config: Config | undefined;
  /** In force instead of an unusable object without an earlier version. */
  readonly substitute?: Config | undefined;
  readonly issues: readonly Issue[];
}

export interface ReadAs {
  readonly kind: Kind;
  /** The name of the source, for origins. */
  readonly source: string;
  /** Whether to return objects with errors, as far as they can be read, for analysis. */
  readonly keepInvalid?: boolean;
}

/** `namespace/name`, or the name alone for cluster-scoped kinds. A deletion needs nothing else. */
export function kubeObjectKey({ metadata: { name, namespace } }: KubeObject, { scope }: Pick<Kind, "scope">): string {
  return configKey({ name, namespace: scope === "cluster" ? "" : namespace });
}

/** Reads an object like files and the webhook do. It has no lines; its origin is the name that `kubectl get` uses. */
export function readObject(object: KubeObject, { kind, source, keepInvalid = false }: ReadAs): ParsedKubeObject {
  const fields = trimmed(object, kind);
  const { resourceVersion: revision, managedFields } = object.metadata;
  const author = lastManager(managedFields);
  const reference = referenceTo(object, kind);
  const origin: Origin = {
    source,
    reference,
    revision,
    ...(author !== undefined && { author }),
    locate: () => undefined,
  };
  if (isTooDeepValue(fields)) {
    const { name, namespace } = object.metadata;
    const metadata = { name, namespace, labels: {}, createdAt: 0 };
    const substitute = keepInvalid ? undefined : substituteOf({ row: kind, metadata, spec: undefined, origin });
    return { config: undefined, substitute, issues: [tooDeep(object, kind)] };
  }
  const raw = { fields, text: "", locate: noPosition, locateLater: noPosition };
  // An API server names the namespace of every object. A default would give the object another key than its deletion.
  const defaultNamespace = object.metadata.namespace;
  const context = { file: "", source, kinds: [kind], defaultNamespace, readable: true, keepInvalid };
  const { config, substitute, issues } = parseObject(raw, context);
  return {
    config: config && { ...config, origin },
    substitute: substitute && { ...substitute, origin },
    issues: issues.map((issue) => ({ ...issue, place: undefined })),
  };
}

/** The manager that wrote fields last, and not the status alone: `kubectl-client-side-apply`, or the name of a controller. */
function lastManager(managedFields: unknown): string | undefined {
  const all: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
  let last: { readonly manager: string; readonly time: string } | undefined;
  for (const entry of all) {
    if (!isMapping(entry) || entry["subresource"] === "status") continue;
    const { manager, time = "" } = entry;
    if (typeof manager !== "string" || typeof time !== "string") continue;
    // All times are in UTC and of one form.
    if (last === undefined || time >= last.time) last = { manager, time };
  }
  return last?.manager;
}

function tooDeep({ metadata }: KubeObject, { kind }: Kind): Issue {
  const message = `lists and mappings are nested more than ${maxJsonDepth} levels deep`;
  const object = `${kind} ${configKey(metadata)}`;
  return { severity: "error", code: "too-complex", object, path: "", message, place: undefined };
}

const noPosition = () => ({ file: "", line: 0, column: 0 });

/**
 * Annotations that kubectl and controllers write for themselves. The first one is a second copy of the whole object.
 */
const ownNotes = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "endpoints.kubernetes.io/last-change-trigger-time",
  "control-plane.alpha.kubernetes.io/leader",
]);

/**
 * Removes fields that a mesh ignores and that change often. Of Endpoints, only the addresses matter. Adds kind and
 * version, which items of lists lack.
 */
function trimmed({ metadata, ...fields }: KubeObject, row: Kind): Readonly<Record<string, unknown>> {
  const { managedFields: _, annotations, ...kept } = metadata;
  const notes = Object.entries(annotations).filter(([name]) => !ownNotes.has(name));
  const { labels: _labels, ...unlabelled } = kept;
  const isEndpoints = row.collection === endpoints.collection;
  const trimmedMetadata = isEndpoints ? unlabelled : { ...kept, annotations: Object.fromEntries(notes) };
  return { apiVersion: apiVersionOf(row), kind: row.kind, ...fields, metadata: trimmedMetadata };
}

function referenceTo(object: KubeObject, kind: Kind): string {
  const { plural, group } = kind;
  return `${group === "" ? plural : `${plural}.${group}`}/${kubeObjectKey(object, kind)}`;
}
