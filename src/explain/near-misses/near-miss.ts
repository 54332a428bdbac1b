import type { ConfigId } from "../../config/config.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";

/** An object that would have mattered, had it or the proxy been a little different. */
export interface NearMiss {
  readonly object: ConfigId;
  /** The rest of a sentence that begins with the object. */
  readonly why: string;
}

/** Something that a proxy looked for in vain. Plain data, so that a server can be asked about it. */
export interface Lookup {
  /** The host and port of a request that nothing was made for; absent when a route was found. */
  readonly host?: { readonly hostname: string; readonly port: number; readonly http: boolean };
  /** Clusters that requests fail at. */
  readonly clusters: readonly string[];
}

/** The proxy of the request, and the mesh that it is in. */
export interface LookupContext {
  readonly proxy: Proxy;
  readonly push: PushContext;
}

/** `app=gw, version=v1`; the values of a proxy by the names that a selector has. */
export function labelsText(labels: Readonly<Record<string, string>>, names = Object.keys(labels)): string {
  if (names.length === 0) return "no labels";
  return names.map((name) => (Object.hasOwn(labels, name) ? `${name}=${labels[name]}` : `no ${name}`)).join(", ");
}

/** A long list is cut. */
export function listText(texts: readonly string[], few = 5): string {
  return texts.length <= few ? texts.join(", ") : `${texts.slice(0, few).join(", ")} and ${texts.length - few} more`;
}
