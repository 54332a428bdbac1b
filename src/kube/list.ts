import { MeshError } from "../lib/errors.ts";
import { isMapping } from "../lib/is-mapping.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubeObject, kubeObject } from "./kube-object.ts";

/** What is listed or watched. */
export interface Listed {
  readonly path: string;
  /** Of what is large, and of which only the names are wanted. */
  readonly metadataOnly?: boolean | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly items: readonly KubeObject[];
  /** From where to watch, once all pages were read. */
  readonly resourceVersion: string;
}

/**
 * All there is, in pages of at most `limit` objects (0: in one). The pages are of one moment; a server that no longer
 * knows it when the next page is asked for refuses that with `Expired`.
 */
export async function* listPages(client: KubeClient, listed: Listed, limit: number): AsyncGenerator<Page> {
  const { path, signal } = listed;
  const accept = acceptOf(listed, "PartialObjectMetadataList");
  let next = "";
  do {
    const query = {
      ...selectorOf(listed),
      ...(limit > 0 && { limit: `${limit}` }),
      ...(next !== "" && { continue: next }),
    };
    const { items, metadata } = asList(await client.json({ path, query, signal, accept }));
    yield { items: items.map(kubeObject), resourceVersion: String(metadata["resourceVersion"]) };
    next = typeof metadata["continue"] === "string" ? metadata["continue"] : "";
  } while (next !== "");
}

export function selectorOf({ labelSelector }: Listed): Readonly<Record<string, string>> {
  return labelSelector === undefined ? {} : { labelSelector };
}

export function acceptOf({ metadataOnly = false }: Listed, form: string): string {
  return metadataOnly ? `application/json;as=${form};g=meta.k8s.io;v=v1` : "application/json";
}

/** Items of an empty list may be null. */
function asList(raw: unknown) {
  const { items, metadata } = isMapping(raw) ? raw : {};
  if (!isMapping(metadata)) throw new MeshError("peer-protocol", "the API server sent something that is no list");
  return { items: Array.isArray(items) ? (items as readonly unknown[]) : [], metadata };
}
