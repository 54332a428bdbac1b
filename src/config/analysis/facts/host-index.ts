import { isWildcard } from "../../grammar/hostname.ts";

/** Longer texts are not hostnames. */
const maxHostnameLength = 255;

/** The wildcards of later lookups. */
export interface AskedWildcards {
  /** Without their stars. */
  readonly cores: ReadonlySet<string>;
  readonly lengths: ReadonlySet<number>;
}

/** The wildcards among the hosts of later lookups. */
export function askedWildcards(hosts: Iterable<string>): AskedWildcards {
  const cores = new Set(Array.from(hosts).flatMap((host) => (isWildcard(host) ? [host.slice(1)] : [])));
  return { cores, lengths: new Set(Array.from(cores, (core) => core.length)) };
}

/**
 * Finds items with overlapping hosts. Two hosts overlap if they are equal or a wildcard of one covers the other. The
 * cost of a lookup depends on the length of the hostname, not on the number of hosts.
 */
export class HostIndex<T> {
  readonly #byHost = new Map<string, T[]>();
  /** For each looked-up wildcard, without its star: the items under it. */
  readonly #under = new Map<string, T[]>();
  readonly #asked: AskedWildcards;
  readonly #addedLengths = new Set<number>();

  constructor(asked: AskedWildcards) {
    this.#asked = asked;
  }

  add(host: string, item: T): void {
    addOnce(this.#byHost, host, item);
    if (isWildcard(host)) this.#addedLengths.add(host.length - 1);
    for (const core of endsOf(host, this.#asked.lengths)) {
      if (this.#asked.cores.has(core)) addOnce(this.#under, core, item);
    }
  }

  /** The items with an overlapping host, in lists that the index shares. An item may be in several lists. */
  groups(host: string): readonly (readonly T[])[] {
    const under = isWildcard(host) ? this.#under.get(host.slice(1)) : undefined;
    const own = under ?? this.#byHost.get(host);
    const around = endsOf(host, this.#addedLengths).map((core) => {
      return `*${core}` === host ? [] : (this.#byHost.get(`*${core}`) ?? []);
    });
    return [own ?? [], ...around].filter((group) => group.length > 0);
  }
}

/** An item with several hosts is added several times in a row. */
function addOnce<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else if (list.at(-1) !== item) list.push(item);
}

/** Every suffix of a host, without its star, with the length of one of the wildcards. */
function endsOf(host: string, lengths: ReadonlySet<number>): readonly string[] {
  const text = isWildcard(host) ? host.slice(1) : host;
  const fitting = [...lengths].filter((length) => length <= Math.min(text.length, maxHostnameLength));
  return fitting.map((length) => text.slice(text.length - length));
}
