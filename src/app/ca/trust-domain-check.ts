import type { Logger } from "../../lib/logger.ts";

export interface TrustDomainCheckOptions {
  /** The value of `--ca-trust-domain`. */
  readonly trustDomain: string;
  /** The trust domain of the mesh and its aliases. They are configuration, so they may change. */
  readonly meshTrustDomains: () => readonly string[];
  readonly logger: Logger;
}

const remedy = "add it to trustDomainAliases of the MeshConfig, or remove --ca-trust-domain";

/**
 * Returns a function that warns when `--ca-trust-domain` is no longer a trust domain of the mesh: servers of the mesh
 * refuse such certificates. The server starts all the same, because the MeshConfig may change while it runs.
 */
export function trustDomainCheck({ trustDomain, meshTrustDomains, logger }: TrustDomainCheckOptions): () => void {
  let isForeign = false;
  return () => {
    const known = meshTrustDomains();
    const before = isForeign;
    isForeign = !known.includes(trustDomain);
    if (isForeign === before) return;
    const facts = { trustDomain, mesh: known };
    if (isForeign) logger.warn({ ...facts, remedy }, "the mesh refuses certificates of --ca-trust-domain");
    else logger.info(facts, "the mesh accepts certificates of --ca-trust-domain");
  };
}
