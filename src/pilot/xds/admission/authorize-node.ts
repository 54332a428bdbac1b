import { parseSpiffeId, type SpiffeId } from "../../../lib/spiffe-id.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";

/** The identity that a client claims, and that must match its credentials. */
type Claim = Pick<Proxy, "namespace" | "serviceAccount">;

/** Whether a client may claim the identity of its node. */
export type Authorization =
  | { readonly type: "authorized"; readonly identity: SpiffeId }
  | { readonly type: "denied"; readonly message: string };

/**
 * Compares the authenticated identities of a client with its node. The first identity with the same namespace and
 * service account is its own. Fields that the node omits are not compared. Authentication already checked the trust
 * domain.
 */
export function authorizeNode({ namespace, serviceAccount }: Claim, identities: readonly string[]): Authorization {
  const identity = identities
    .map((text) => parseSpiffeId(text))
    .find(
      (id) =>
        id !== undefined &&
        (namespace === "" || id.namespace === namespace) &&
        (serviceAccount === "" || id.serviceAccount === serviceAccount),
    );
  if (identity !== undefined) return { type: "authorized", identity };
  const claimed = [
    ...(namespace === "" ? [] : [`namespace ${namespace}`]),
    ...(serviceAccount === "" ? [] : [`service account ${serviceAccount}`]),
  ];
  const known = identities.length === 0 ? "nobody" : identities.join(", ");
  return {
    type: "denied",
    message: `authorization failed: known as ${known}, which is not the node's ${claimed.join(" and ") || "identity"}`,
  };
}
