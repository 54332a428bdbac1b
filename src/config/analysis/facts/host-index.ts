import { isWildcard } from "../../grammar/hostname.ts";

/** Longer texts are no names. */
const maxHostnameLength = 255;

/** The wildcards that an index will be asked for. */
export interface AskedWildcards {
  /** Without their stars. */
  readonly cores: ReadonlySet<string>;
  readonly lengths: ReadonlySet<number>;
}

/** Of the hosts that an index will be asked for, those that are wildcards. */
export function askedWildcards(hosts: Iterable<string>): AskedWildcards {
  const cores = new Set(Array.from(hosts).flatMap((host) => (isWildcard(host) ? [host.slice(1)] : [])));
  return { cores, lengths: new Set(Array.from(cores, (core) => core.length)) };
}

/**
 * Things by their hosts, for the question which hosts overlap. Two hosts overlap when they are equal or a wildcard of
 * one covers the other. A question costs as much as a hostname is long, whatever the number of hosts.
 */
export class HostIndex<T> {
  readonly #byHost = new Map<string, T[]>();
  /** For each wildcard that is asked for, without its star: the things under it. */
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

  /** Those with an overlapping host, in lists that the index shares: a thing may be in several of them. */
  groups(host: string): readonly (readonly T[])[] {
    const under = isWildcard(host) ? this.#under.get(host.slice(1)) : undefined;
    const own = under ?? this.#byHost.get(host);
    const around = endsOf(host, this.#addedLengths).map((core) => {
      return `*${core}` === host ? [] : (this.#byHost.get(`*${core}`) ?? []);
    });
    return [own ?? [], ...around].filter((group) => group.length > 0);
  }
}

/** What has several hosts is added several times in a row. */
function addOnce<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else if (list.at(-1) !== item) list.push(item);
}

/** Every end of a host, without its star, that is as long as one of the wildcards. */
function endsOf(host: string, lengths: ReadonlySet<number>): readonly string[] {
  const text = isWildcard(host) ? host.slice(1) : host;
  const fitting = [...lengths].filter((length) => length <= Math.min(text.length, maxHostnameLength));
  return fitting.map((length) => text.slice(text.length - length));
}
