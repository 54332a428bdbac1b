import { X509Certificate } from "node:crypto";
import type { HeldCertificate } from "../../admin/metrics/ca-metrics.ts";
import type { Roots } from "../../ca/roots.ts";

/** All certificates that this process holds for its authority, each once per use. An external signer shows only roots. */
export function heldCertificates(
  { trusted, signing, next }: Pick<Roots, "trusted"> & Partial<Roots>,
  servers: readonly (string | undefined)[],
): readonly HeldCertificate[] {
  const held = [
    ...trusted.map((pem) => heldAs("root", pem)),
    ...(signing === undefined ? [] : [heldAs("signing", signing.certificate)]),
    ...(signing?.chain ?? []).map((pem) => heldAs("chain", pem)),
    ...(next === undefined ? [] : [heldAs("next", next.certificate)]),
    ...servers.flatMap((pem) => (pem === undefined ? [] : [heldAs("server", pem)])),
  ];
  return [...new Map(held.map((each) => [`${each.use} ${each.fingerprint}`, each])).values()];
}

function heldAs(use: string, pem: string): HeldCertificate {
  const { fingerprint256: fingerprint, validToDate } = new X509Certificate(pem);
  return { use, fingerprint, expires: validToDate.getTime() };
}
