import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";
import { fetchIfThere, fetchPage } from "../mesh/fetch-page.ts";
import { type PatchPage, refusedPatches } from "./patch-text.ts";

/** One stream of a proxy, as `/debug/syncz` shows it. */
export interface ProxyStatus {
  readonly cluster_id: string;
  readonly namespace: string;
  /** Usually `pod.namespace`. */
  readonly proxy: string;
  readonly node: string;
  readonly connection: string;
  readonly istio_version: string;
  /** `sotw` or `delta`. */
  readonly mode?: string;
  /** The objects that are kept away from the proxy. A server of an earlier version does not tell. */
  readonly quarantined?: readonly string[];
  readonly resources: Readonly<Record<string, TypeStatus>>;
}

export interface TypeStatus {
  /** CDS, EDS, … */
  readonly type: string;
  readonly state: "SYNCED" | "STALE" | "NOT SENT" | "ERROR";
  readonly sentTime?: string;
  readonly lastError?: string;
}

/** A rejection by some proxies, as `/debug/nacks` shows it. */
export interface NackReport {
  readonly type: string;
  readonly message: string;
  readonly resources: readonly string[];
  readonly objects: readonly { readonly object: string; readonly reference: string }[];
  readonly proxies: readonly string[];
  /** The objects behind it that these proxies do not get any more. */
  readonly quarantined?: readonly string[];
}

export interface MeshStatus {
  readonly proxies: readonly ProxyStatus[];
  readonly nacks: readonly NackReport[];
  /** Patches of EnvoyFilters that are left out, because Envoy would refuse the result. */
  readonly refusedPatches: readonly string[];
}

/** Throws `unavailable`. */
export async function fetchStatus(server: string): Promise<MeshStatus> {
  const [proxies, nacks, patches] = await Promise.all([
    fetchPage(server, "/debug/syncz"),
    fetchPage(server, "/debug/nacks"),
    fetchIfThere(server, "/debug/envoyfilters"),
  ]);
  return {
    proxies: proxies as readonly ProxyStatus[],
    nacks: nacks as readonly NackReport[],
    refusedPatches: patches === undefined ? [] : refusedPatches(patches as PatchPage),
  };
}

/** The streams of the wanted proxy, by name or node id, else by any part of one. Throws `not-found`. */
export function proxiesNamed(wanted: string, proxies: readonly ProxyStatus[]): readonly ProxyStatus[] {
  const exact = proxies.filter(({ proxy, node }) => proxy === wanted || node === wanted);
  const found = exact.length > 0 ? exact : proxies.filter(({ connection }) => connection.includes(wanted));
  const names = [...new Set(found.map(({ proxy }) => proxy))];
  if (names.length > 1) throw new MeshError("not-found", `${wanted} is ambiguous: ${names.join(", ")}`);
  if (names.length === 0) throw new MeshError("not-found", `${wanted} is not connected; ${hint(wanted, proxies)}`);
  return found;
}

/** The most similar name, else the known names that fit on a line. */
function hint(wanted: string, proxies: readonly ProxyStatus[]): string {
  const names = [...new Set(proxies.map(({ proxy }) => proxy))].toSorted();
  if (names.length === 0) return "no proxy is connected";
  const near =
    didYouMean(wanted, names) ??
    didYouMean(
      wanted,
      names.map((name) => name.split(".")[0] ?? name),
    );
  if (near !== undefined) return `did you mean ${names.find((name) => name.startsWith(near)) ?? near}?`;
  const more = names.length > 5 ? `, and ${names.length - 5} more` : "";
  return `connected proxies: ${names.slice(0, 5).join(", ")}${more}`;
}
