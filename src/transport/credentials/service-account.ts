import { spiffeId } from "../../lib/spiffe-id.ts";

/** In SPIFFE's own alphabet: with a slash in a name, the id would have another reading. */
const pattern = /^system:serviceaccount:(?<namespace>[\w.-]+):(?<serviceAccount>[\w.-]+)$/;

/**
 * The SPIFFE id of a Kubernetes service account, `system:serviceaccount:NAMESPACE:NAME`. Undefined for any other user.
 */
export function serviceAccountId(user: string, trustDomain: string): string | undefined {
  const { namespace, serviceAccount } = pattern.exec(user)?.groups ?? {};
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  return spiffeId({ trustDomain, namespace, serviceAccount });
}
