import type { ConfigId } from "../../../../config/config.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { ServiceDomains } from "./service-domains.ts";

const hostReason =
  "a host has the routes of one virtual service: private before exported before public, then the oldest";
const domainReason = "a domain belongs to one host: those of virtual services first, then the oldest";

/**
 * The owners of names and domains within one route configuration. Envoy rejects a configuration with a duplicate, so
 * the first claim wins. All are in lower case, because Envoy ignores case.
 */
export class DomainClaims {
  readonly #names = new Map<string, ConfigId>();
  readonly #domains = new Map<string, ConfigId>();
  readonly #conflicts: Conflict[] = [];
  readonly #lost = new Set<string>();
  readonly #isService: (hostname: string) => boolean;

  /** @param isService tests for hostnames of services in the configuration: no alternate may take them */
  constructor(isService: (hostname: string) => boolean) {
    this.#isService = isService;
  }

  /** The conflicts of later claims. */
  get conflicts(): readonly Conflict[] {
    return this.#conflicts;
  }

  /** Names and domains that some claim did not get. They could be free when another host goes. */
  get lost(): ReadonlySet<string> {
    return this.#lost;
  }

  /** The domains that a virtual host of this name gets for its object: none if another object has the name. */
  claim(name: string, { domains, alternates }: ServiceDomains, owner: ConfigId): readonly string[] {
    const before = take(name, owner, this.#names);
    if (before !== undefined) {
      this.#lost.add(name);
      this.#lose({ type: "virtual-host", about: name, reason: hostReason }, before, owner);
      return [];
    }
    const free = domains.filter((domain) => {
      const isOfService = this.#isService(domain) && alternates.has(domain);
      const other = isOfService ? undefined : take(domain, owner, this.#domains);
      if (other !== undefined) this.#lose({ type: "domain", about: domain, reason: domainReason }, other, owner);
      const isFree = !isOfService && other === undefined;
      if (!isFree) this.#lost.add(domain);
      return isFree;
    });
    // The list itself if it is complete, so that its encoding is reused.
    return free.length === domains.length ? domains : free;
  }

  /** Two claims by the same owner are no conflict. */
  #lose(what: Pick<Conflict, "type" | "about" | "reason">, winner: ConfigId, loser: ConfigId): void {
    if (winner !== loser) this.#conflicts.push({ ...what, winner, losers: [loser] });
  }
}

/** Returns the previous owner; undefined when there was none. */
function take(text: string, owner: ConfigId, taken: Map<string, ConfigId>): ConfigId | undefined {
  const before = taken.get(text);
  if (before === undefined) taken.set(text, owner);
  return before;
}
