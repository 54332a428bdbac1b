import { spiffeId } from "../../lib/spiffe-id.ts";

/**
 * The SPIFFE id of a service account as Kubernetes names it, `system:serviceaccount:NAMESPACE:NAME`; undefined for
 * every other user.
 */
export function serviceAccountId(user: string, trustDomain: string): string | undefined {
  const { namespace, serviceAccount } =
    /^system:serviceaccount:(?<namespace>[^:]+):(?<serviceAccount>[^:]+)$/.exec(user)?.groups ?? {};
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  return spiffeId({ trustDomain, namespace, serviceAccount });
}
