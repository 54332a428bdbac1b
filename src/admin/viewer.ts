import type { IncomingMessage } from "node:http";
import { parseSpiffeId } from "../lib/spiffe-id.ts";
import type { Authenticate } from "../transport/credentials/authenticator.ts";
import { noCertificate } from "../transport/credentials/client-certificate.ts";
import { isLocal } from "./request-origin.ts";

/** The viewer of a page: an operator, who may see everything, or a workload, which may see its own namespace. */
export type Viewer = { readonly type: "system" } | { readonly type: "namespace"; readonly namespace: string };

/** Not authenticated (401), or not of the mesh (403). */
export interface RefusedViewer {
  readonly type: "refused";
  readonly status: 401 | 403;
  readonly reasons: readonly string[];
}

export interface ViewerRules {
  readonly authenticate: Authenticate;
  /** The namespaces of mesh operators. */
  readonly systemNamespaces: () => readonly string[];
}

/** Every local client is an operator. A remote client needs a token. */
export async function viewerOf(
  request: Pick<IncomingMessage, "headers" | "socket">,
  rules: ViewerRules,
): Promise<Viewer | RefusedViewer> {
  return isLocal(request) ? { type: "system" } : await authenticatedViewer(request, rules);
}

/** The viewer that the token of the request names, wherever the request comes from. */
export async function authenticatedViewer(
  request: Pick<IncomingMessage, "headers">,
  rules: ViewerRules,
): Promise<Viewer | RefusedViewer> {
  const found = await rules.authenticate({ certificate: noCertificate, headers: request.headers });
  if (found.type === "refused") return { type: "refused", status: 401, reasons: found.reasons };
  const namespaces = found.identities.flatMap((identity) => parseSpiffeId(identity)?.namespace ?? []);
  const [namespace] = namespaces;
  if (namespace === undefined) {
    return { type: "refused", status: 403, reasons: [`${found.identities.join(", ")} is not a workload of the mesh`] };
  }
  const system = new Set(rules.systemNamespaces());
  return namespaces.some((each) => system.has(each)) ? { type: "system" } : { type: "namespace", namespace };
}
