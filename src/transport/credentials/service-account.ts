import { spiffeId } from "../../lib/spiffe-id.ts";

/**
 * The SPIFFE id of a Kubernetes service account, `system:serviceaccount:NAMESPACE:NAME`. Undefined for any other user.
 */
export function serviceAccountId(user: string, trustDomain: string): string | undefined {
  const { namespace, serviceAccount } =
    /^system:serviceaccount:(?<namespace>[^:]+):(?<serviceAccount>[^:]+)$/.exec(user)?.groups ?? {};
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  return spiffeId({ trustDomain, namespace, serviceAccount });
}
