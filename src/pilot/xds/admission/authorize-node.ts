import { parseSpiffeId, type SpiffeId } from "../../../lib/spiffe-id.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";

/** What a client says of itself, and must not say wrongly. */
type Claim = Pick<Proxy, "namespace" | "serviceAccount">;

/** Whether a client may be who its node says it is. */
export type Authorization =
  | { readonly type: "authorized"; readonly identity: SpiffeId }
  | { readonly type: "denied"; readonly message: string };

/**
 * Compares who a client has proved to be with who it says it is: the first identity of its namespace and its service
 * account is its own. What the node leaves out is not compared; trust domains were, when the proof was.
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
