import type { Proxy } from "../../../model/proxy/proxy.ts";

/** Chooses proxies by their names or labels. */
export interface ProxySelector {
  /** As the user wrote it. */
  readonly text: string;
  readonly selects: (proxy: Pick<Proxy, "nodeId" | "id" | "namespace" | "labels">) => boolean;
}

/**
 * `NODE` or `POD.NAMESPACE` names one proxy, `namespace/NAME` all proxies of a namespace, and `key=value,…` all proxies
 * with these labels. Undefined for a selector that is none of them.
 */
export function proxySelectorOf(text: string): ProxySelector | undefined {
  if (text === "") return undefined;
  const namespace = /^namespace\/(?<name>[^/]+)$/u.exec(text)?.groups?.["name"];
  if (namespace !== undefined) return { text, selects: (proxy) => proxy.namespace === namespace };
  if (!text.includes("=")) return { text, selects: ({ nodeId, id }) => nodeId === text || id === text };
  const wanted = text.split(",").map((pair) => pair.split("="));
  if (wanted.some(({ length }) => length !== 2)) return undefined;
  return { text, selects: ({ labels }) => wanted.every(([key = "", value]) => labels[key] === value) };
}
