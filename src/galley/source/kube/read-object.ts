import { type Config, configKey } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import { apiVersionOf, type Kind } from "../../../config/kind.ts";
import { endpoints } from "../../../config/kinds/kubernetes.ts";
import { parseObject } from "../../../config/parse/parse-object.ts";
import { isTooDeepValue, maxJsonDepth } from "../../../lib/json-depth.ts";
import type { KubeObject } from "../../../kube/kube-object.ts";

/** What an object of the API server says. Without a config it cannot be used, and the issues say why. */
export interface Reading {
  readonly config: Config | undefined;
  readonly issues: readonly Issue[];
}

export interface ReadAs {
  readonly kind: Kind;
  /** The name of the source, for origins. */
  readonly source: string;
  /** Whether objects are given although something is wrong with them, as far as they can be read: for analysis. */
  readonly keepInvalid?: boolean;
}

/** `namespace/name`, or the name alone: all that a deletion needs to be understood. */
export function keyOf({ metadata }: KubeObject): string {
  return configKey(metadata);
}

/**
 * Reads an object as files and the webhook are read. It has no lines; where it comes from is what
 * `kubectl get` calls it.
 */
export function readObject(object: KubeObject, { kind, source, keepInvalid = false }: ReadAs): Reading {
  const fields = trimmed(object, kind);
  if (isTooDeepValue(fields)) return { config: undefined, issues: [tooDeep(object, kind)] };
  const raw = { fields, text: "", locate: nowhere, locateLater: nowhere };
  const context = { file: "", source, kinds: [kind], defaultNamespace: "default", readable: true, keepInvalid };
  const { config, issues } = parseObject(raw, context);
  return {
    config: config && { ...config, origin: { source, reference: referenceTo(object, kind), locate: () => undefined } },
    issues: issues.map((issue) => ({ ...issue, place: undefined })),
  };
}

function tooDeep({ metadata }: KubeObject, { kind }: Kind): Issue {
  const message = `lists and mappings are nested more than ${maxJsonDepth} levels deep`;
  const object = `${kind} ${configKey(metadata)}`;
  return { severity: "error", code: "too-complex", object, path: "", message, place: undefined };
}

const nowhere = () => ({ file: "", line: 0, column: 0 });

/** What kubectl and controllers write for themselves. The first is the whole object a second time. */
const ownNotes = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "endpoints.kubernetes.io/last-change-trigger-time",
  "control-plane.alpha.kubernetes.io/leader",
]);

/**
 * Without what means nothing to a mesh and changes all the time: of Endpoints nobody reads anything but the addresses.
 * Kind and version are put back, which the items of lists lack.
 */
function trimmed({ metadata, ...fields }: KubeObject, row: Kind): Readonly<Record<string, unknown>> {
  const { managedFields: _, annotations, ...kept } = metadata;
  const notes = Object.entries(annotations).filter(([name]) => !ownNotes.has(name));
  const { labels: _labels, ...unlabelled } = kept;
  const isEndpoints = row.collection === endpoints.collection;
  const trimmedMetadata = isEndpoints ? unlabelled : { ...kept, annotations: Object.fromEntries(notes) };
  return { apiVersion: apiVersionOf(row), kind: row.kind, ...fields, metadata: trimmedMetadata };
}

function referenceTo(object: KubeObject, { plural, group }: Kind): string {
  return `${group === "" ? plural : `${plural}.${group}`}/${keyOf(object)}`;
}
