import { Memo } from "../../../lib/memo.ts";
import type { Endpoint } from "../service/service.ts";
import { type MtlsContext, mtlsModeOf, mtlsPolicyFor } from "./mtls-policy.ts";

/** Which endpoints accept no mesh mTLS, whatever they could: their owners said so. The same object for equal policies. */
export interface MtlsRefusals {
  refuses(endpoint: Endpoint): boolean;
}

const known = new Memo<MtlsRefusals | undefined>();

/** Undefined while nobody refuses it, so that other policies do not matter to clients. */
export function mtlsRefusalsIn({ peerAuthenticationsByNamespace, mesh }: MtlsContext): MtlsRefusals | undefined {
  // Remembered for as long as the policies are, so it may hold on to nothing else.
  const push: MtlsContext = { peerAuthenticationsByNamespace, mesh };
  return known.get([peerAuthenticationsByNamespace, mesh], "", () => {
    const policies = [...peerAuthenticationsByNamespace.values()].flat();
    const refused = policies.some(({ mode, ports }) => mode === "disable" || [...ports.values()].includes("disable"));
    return refused ? { refuses: (endpoint) => refuses(endpoint, push) } : undefined;
  });
}

function refuses(endpoint: Endpoint, push: MtlsContext): boolean {
  return mtlsModeOf(mtlsPolicyFor(endpoint, push), endpoint.port) === "disable";
}
