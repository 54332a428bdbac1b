import type { IncomingMessage } from "node:http";
import { parseSpiffeId } from "../lib/spiffe-id.ts";
import type { Authenticate } from "../transport/credentials/authenticator.ts";
import { noCertificate } from "../transport/credentials/client-certificate.ts";
import { isLocal } from "./stranger.ts";

/** Who looks at a page: whoever runs the mesh and may see all of it, or a workload, which may see its own namespace. */
export type Viewer = { readonly type: "system" } | { readonly type: "namespace"; readonly namespace: string };

/** Nobody we know (401), or nobody of the mesh (403). */
export interface Stranger {
  readonly type: "stranger";
  readonly status: 401 | 403;
  readonly reasons: readonly string[];
}

export interface ViewerRules {
  readonly authenticate: Authenticate;
  /** The namespaces of those who run the mesh. */
  readonly systemNamespaces: () => readonly string[];
}

/** Everybody on this machine runs the mesh; from elsewhere a token says who somebody is. */
export async function viewerOf(request: IncomingMessage, rules: ViewerRules): Promise<Viewer | Stranger> {
  if (isLocal(request)) return { type: "system" };
  const found = await rules.authenticate({ certificate: noCertificate, headers: request.headers });
  if (found.type === "refused") return { type: "stranger", status: 401, reasons: found.reasons };
  const namespaces = found.identities.flatMap((identity) => parseSpiffeId(identity)?.namespace ?? []);
  const [namespace] = namespaces;
  if (namespace === undefined) {
    return { type: "stranger", status: 403, reasons: [`${found.identities.join(", ")} is no workload of the mesh`] };
  }
  const system = new Set(rules.systemNamespaces());
  return namespaces.some((each) => system.has(each)) ? { type: "system" } : { type: "namespace", namespace };
}
