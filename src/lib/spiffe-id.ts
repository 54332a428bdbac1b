/** Who a workload is, in the form of SPIFFE that Istio uses: `spiffe://TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT`. */
export interface SpiffeId {
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** SPIFFE's own alphabet: what needs escapes elsewhere cannot be in an id, so none is read two ways. */
const pattern = /^spiffe:\/\/(?<trustDomain>[\w.-]+)\/ns\/(?<namespace>[\w.-]+)\/sa\/(?<serviceAccount>[\w.-]+)$/;

/** Undefined for everything else, other SPIFFE ids among it: nothing can be told from those. */
export function parseSpiffeId(text: string): SpiffeId | undefined {
  const { trustDomain, namespace, serviceAccount } = pattern.exec(text)?.groups ?? {};
  if (trustDomain === undefined || namespace === undefined || serviceAccount === undefined) return undefined;
  return { trustDomain, namespace, serviceAccount };
}

export function spiffeId({ trustDomain, namespace, serviceAccount }: SpiffeId): string {
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
}

/** Of any SPIFFE id, whatever its path; undefined for what is none. */
export function trustDomainOf(text: string): string | undefined {
  return /^spiffe:\/\/([\w.-]+)(?:\/|$)/.exec(text)?.[1];
}
