import { hostnamesMatch, isWildcard } from "../../grammar/hostname.ts";
import { hostWildcards } from "../../rules/overlaps.ts";

/** Things by their hosts, so that who shares a name with whom need not be asked of every pair. */
export class HostIndex<T> {
  readonly #byHost = new Map<string, T[]>();

  add(host: string, item: T): void {
    const same = this.#byHost.get(host);
    if (same === undefined) this.#byHost.set(host, [item]);
    else same.push(item);
  }

  /** Those with a host that could be meant by this one, too. A wildcard is compared with every host: there are few. */
  *overlapping(host: string): Generator<T> {
    if (isWildcard(host)) {
      for (const [other, items] of this.#byHost) if (hostnamesMatch(host, other)) yield* items;
      return;
    }
    yield* this.#byHost.get(host) ?? [];
    for (const core of hostWildcards.coresAround(host)) yield* this.#byHost.get(`*${core}`) ?? [];
  }
}
