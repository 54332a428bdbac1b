/** The identity of a workload in Istio's SPIFFE form: `spiffe://TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT`. */
export interface SpiffeId {
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** SPIFFE's own alphabet. An id never contains characters that need escapes, so each id has one reading. */
const pattern = /^spiffe:\/\/(?<trustDomain>[\w.-]+)\/ns\/(?<namespace>[\w.-]+)\/sa\/(?<serviceAccount>[\w.-]+)$/;

/** Undefined for all other texts, including other SPIFFE ids, because those have no known parts. */
export function parseSpiffeId(text: string): SpiffeId | undefined {
  const { trustDomain, namespace, serviceAccount } = pattern.exec(text)?.groups ?? {};
  if (trustDomain === undefined || namespace === undefined || serviceAccount === undefined) return undefined;
  return { trustDomain, namespace, serviceAccount };
}

export function spiffeId({ trustDomain, namespace, serviceAccount }: SpiffeId): string {
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
}

/** The trust domain of any SPIFFE id, whatever its path; undefined for other texts. */
export function trustDomainOf(text: string): string | undefined {
  return /^spiffe:\/\/([\w.-]+)(?:\/|$)/.exec(text)?.[1];
}
