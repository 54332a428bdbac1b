import { MeshError } from "../lib/errors.ts";
import { isMapping } from "../lib/is-mapping.ts";

/** An object as the API server sends it, with a name and a resource version. */
export interface KubeObject {
  readonly [field: string]: unknown;
  readonly metadata: {
    readonly [field: string]: unknown;
    readonly name: string;
    /** "" for a cluster-scoped object. */
    readonly namespace: string;
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, unknown>>;
  };
}

/** Fills in missing fields. Throws `peer-protocol` for a value that is not an object. */
export function kubeObject(raw: unknown): KubeObject {
  const metadata = isMapping(raw) ? raw["metadata"] : undefined;
  if (!isMapping(raw) || !isMapping(metadata)) {
    throw new MeshError("peer-protocol", "the API server sent an item that is not an object");
  }
  const { name, namespace, resourceVersion, annotations } = metadata;
  return {
    ...raw,
    metadata: {
      ...metadata,
      name: textOf(name),
      namespace: textOf(namespace),
      resourceVersion: textOf(resourceVersion),
      annotations: isMapping(annotations) ? annotations : {},
    },
  };
}

function textOf(raw: unknown): string {
  return typeof raw === "string" ? raw : "";
}
