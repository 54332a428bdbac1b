import { overLimit } from "../lib/bounded/limit.ts";
import { MeshError } from "../lib/errors.ts";
import { isMapping } from "../lib/is-mapping.ts";
import { scalarText } from "../lib/scalar-text.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubeObject, kubeObject } from "./kube-object.ts";

/** The resource to list or watch. */
export interface Listed {
  readonly path: string;
  /** Reads only the metadata, for large objects of which only the names matter. */
  readonly metadataOnly?: boolean | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly items: readonly KubeObject[];
  /** The version to watch from, after the last page. */
  readonly resourceVersion: string;
}

/**
 * Lists all objects, in pages of at most `limit` objects (0: one page). All pages show one moment. If the server no
 * longer has that moment, it refuses the next page with `Expired`. A list that exceeds {@link KubeClient.limits} in
 * pages, objects or time fails.
 */
export async function* listPages(client: KubeClient, listed: Listed, limit: number): AsyncGenerator<Page> {
  const { path, signal } = listed;
  const accept = acceptOf(listed, "PartialObjectMetadataList");
  const bounds = new ListBounds(client, path);
  let next = "";
  do {
    const query = {
      ...selectorOf(listed),
      ...(limit > 0 && { limit: `${limit}` }),
      ...(next !== "" && { continue: next }),
    };
    const { items, metadata } = asList(await client.json({ path, query, signal, accept, answer: "list" }));
    const token = typeof metadata["continue"] === "string" ? metadata["continue"] : "";
    bounds.count(items.length, token);
    yield { items: items.map(kubeObject), resourceVersion: scalarText(metadata["resourceVersion"]) };
    next = token;
  } while (next !== "");
}

/** Counts the pages of one list against its limits. */
class ListBounds {
  readonly #client: KubeClient;
  readonly #what: string;
  readonly #tokens = new Set<string>();
  readonly #startedAt: number;
  #objects = 0;

  constructor(client: KubeClient, path: string) {
    this.#client = client;
    this.#what = `the API server's list of ${path}`;
    this.#startedAt = client.now();
  }

  /** Throws if the next page, which continues at `token`, exceeds a limit. */
  count(objects: number, token: string): void {
    const { listObjects, listPages: pages, listMs } = this.#client.limits;
    this.#objects += objects;
    if (this.#objects > listObjects) throw overLimit(this.#what, listObjects, "objects", this.#objects);
    if (token === "") return;
    if (this.#tokens.has(token)) throw new MeshError("peer-protocol", `${this.#what} repeats a continue token`);
    this.#tokens.add(token);
    if (this.#tokens.size >= pages) throw overLimit(this.#what, pages, "pages", this.#tokens.size + 1);
    const ms = this.#client.now() - this.#startedAt;
    if (ms > listMs) throw overLimit(this.#what, listMs, "ms", Math.round(ms));
  }
}

export function selectorOf({ labelSelector, fieldSelector }: Listed): Readonly<Record<string, string>> {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

export function acceptOf({ metadataOnly = false }: Listed, form: string): string {
  return metadataOnly ? `application/json;as=${form};g=meta.k8s.io;v=v1` : "application/json";
}

/** The items of an empty list may be null. */
function asList(raw: unknown) {
  const { items, metadata } = isMapping(raw) ? raw : {};
  if (!isMapping(metadata)) throw new MeshError("peer-protocol", "the API server sent a response that is not a list");
  return { items: Array.isArray(items) ? (items as readonly unknown[]) : [], metadata };
}
