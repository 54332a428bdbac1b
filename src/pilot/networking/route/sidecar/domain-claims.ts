import type { ServiceDomains } from "./service-domains.ts";

/**
 * Who has which name and domain within one route configuration. Envoy rejects a configuration that lists one twice, so
 * whoever comes first gets it. Upper and lower case are the same.
 */
export class DomainClaims {
  readonly #names = new Set<string>();
  readonly #domains = new Set<string>();
  readonly #services: ReadonlySet<string>;

  /** @param services the hostnames of all services of the configuration, in lower case: nobody's alternate takes them */
  constructor(services: ReadonlySet<string>) {
    this.#services = services;
  }

  /** The domains that a virtual host of this name gets: none if another has its name. */
  claim(name: string, { domains, alternates }: ServiceDomains): readonly string[] {
    if (!take(name, this.#names)) return [];
    return domains.filter((domain) => {
      const taken = alternates.has(domain) && this.#services.has(domain.toLowerCase());
      return !taken && take(domain, this.#domains);
    });
  }
}

function take(text: string, taken: Set<string>): boolean {
  const before = taken.size;
  return taken.add(text.toLowerCase()).size > before;
}
