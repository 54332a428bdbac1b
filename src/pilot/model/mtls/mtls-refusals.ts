import { memoize } from "../../../lib/memo.ts";
import type { Endpoint } from "../service/service.ts";
import { type MtlsContext, mtlsModeOf, mtlsPolicyFor } from "./mtls-policy.ts";

/** Endpoints whose policies disable mesh mTLS, although they may support it. Equal policies give the same object. */
export interface MtlsRefusals {
  refuses(endpoint: Endpoint): boolean;
}

/** Undefined while no policy disables mTLS. Then a change of other policies does not affect clients. */
export function mtlsRefusalsIn({ peerAuthenticationsByNamespace, mesh }: MtlsContext): MtlsRefusals | undefined {
  return findRefusals([peerAuthenticationsByNamespace, mesh]);
}

const findRefusals = memoize(
  ([peerAuthenticationsByNamespace, mesh]: readonly [
    MtlsContext["peerAuthenticationsByNamespace"],
    MtlsContext["mesh"],
  ]): MtlsRefusals | undefined => {
    const context: MtlsContext = { peerAuthenticationsByNamespace, mesh };
    const policies = [...peerAuthenticationsByNamespace.values()].flat();
    const refused = policies.some(({ mode, ports }) => mode === "disable" || [...ports.values()].includes("disable"));
    return refused ? { refuses: (endpoint) => refuses(endpoint, context) } : undefined;
  },
);

function refuses(endpoint: Endpoint, context: MtlsContext): boolean {
  return mtlsModeOf(mtlsPolicyFor(endpoint, context), endpoint.port) === "disable";
}
