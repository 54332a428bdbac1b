import type { ServiceDomains } from "./service-domains.ts";

/**
 * Who has which name and domain within one route configuration. Envoy rejects a configuration that lists one twice, so
 * whoever comes first gets it. All in lower case: Envoy makes no difference.
 */
export class DomainClaims {
  readonly #names = new Set<string>();
  readonly #domains = new Set<string>();
  readonly #isService: (hostname: string) => boolean;

  /** @param isService tells the names that services of the configuration really have: nobody's alternate takes them */
  constructor(isService: (hostname: string) => boolean) {
    this.#isService = isService;
  }

  /** The domains that a virtual host of this name gets: none if another has its name. */
  claim(name: string, { domains, alternates }: ServiceDomains): readonly string[] {
    if (!take(name, this.#names)) return [];
    const free = domains.filter((domain) => {
      const foreign = this.#isService(domain) && alternates.has(domain);
      return !foreign && take(domain, this.#domains);
    });
    // The list itself if it is complete: what was encoded for it is found again.
    return free.length === domains.length ? domains : free;
  }
}

function take(text: string, taken: Set<string>): boolean {
  const before = taken.size;
  return taken.add(text).size > before;
}
