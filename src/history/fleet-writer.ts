import { hashText } from "../lib/hash.ts";
import type { FleetRecord, Lags, LoggedProxy, ProxyRecord } from "./fleet.ts";
import { encodeLine } from "./log-line.ts";

/** A change among the connected proxies. Proxies are named by their node ids. */
export interface FleetChange {
  readonly at: number;
  /** The last moment that was pushed. */
  readonly moment: number;
  /** Also proxies that are known with other facts. */
  readonly came: readonly LoggedProxy[];
  readonly gone: readonly string[];
  readonly behind: readonly (readonly [nodeId: string, lags: Lags])[];
  readonly current: readonly string[];
}

/** The same with names only. `gone` has the numbers of this segment. */
interface NamedChange extends Omit<FleetChange, "came" | "gone"> {
  readonly came: readonly string[];
  readonly gone: readonly number[];
}

interface KnownProxy extends Omit<ProxyRecord, "proxy"> {
  readonly number: number;
  readonly lags: Lags;
}

/** Makes the records of the proxies in one segment. It writes each proxy and each list of extensions once. */
export class FleetWriter {
  readonly #known = new Map<string, KnownProxy>();
  /** The JSON of each list of extensions, by its id. */
  readonly #lists = new Map<string, string>();
  #numbers = 0;
  #at = 0;
  #moment = 0;

  /** Begins a segment with the proxies of the one before. Empty if it has none. */
  opening(before: FleetWriter): string {
    if (before.#known.size === 0) return "";
    const proxies = [...before.#known.values()];
    const records = proxies.map((each) => this.#add(each, before.#lists.get(each.extensions) ?? "[]"));
    const came = proxies.map(({ nodeId }) => nodeId);
    const behind = proxies.flatMap(({ nodeId, lags }) => (isCurrent(lags) ? [] : [[nodeId, lags] as const]));
    const { at, moment } = { at: before.#at, moment: before.#moment };
    return records.join("") + this.#changed({ at, moment, came, gone: [], behind, current: [] });
  }

  change({ at, moment, came, gone, behind, current }: FleetChange): string {
    const replaced = [...came.map(({ nodeId }) => nodeId), ...gone].flatMap((nodeId) => this.#forget(nodeId));
    const records = came.map(({ nodeId, facts, extensions }) => {
      const list = JSON.stringify(extensions);
      return this.#add({ nodeId, facts, extensions: hashText(list) }, list);
    });
    const names = came.map(({ nodeId }) => nodeId);
    return records.join("") + this.#changed({ at, moment, came: names, gone: replaced, behind, current });
  }

  #changed({ at, moment, came, gone, behind, current }: NamedChange): string {
    this.#at = Math.max(at, this.#at + 1);
    this.#moment = moment;
    const record: FleetRecord = {
      at: this.#at,
      moment,
      ...listed(
        "came",
        came.flatMap((nodeId) => this.#known.get(nodeId)?.number ?? []),
      ),
      ...listed("gone", gone),
      ...listed(
        "behind",
        behind.flatMap(([nodeId, lags]) => this.#setLags(nodeId, lags)),
      ),
      ...listed(
        "current",
        current.flatMap((nodeId) => this.#setLags(nodeId, {}).map(([number]) => number)),
      ),
    };
    return encodeLine("accepted", JSON.stringify(record));
  }

  #add({ nodeId, facts, extensions }: Omit<ProxyRecord, "proxy">, list: string): string {
    const isNew = !this.#lists.has(extensions);
    this.#lists.set(extensions, list);
    this.#numbers += 1;
    this.#known.set(nodeId, { number: this.#numbers, nodeId, facts, extensions, lags: {} });
    const record: ProxyRecord = { proxy: this.#numbers, nodeId, facts, extensions };
    return (
      (isNew ? encodeLine("extensions", `${extensions} ${list}`) : "") + encodeLine("proxy", JSON.stringify(record))
    );
  }

  #forget(nodeId: string): readonly number[] {
    const known = this.#known.get(nodeId);
    this.#known.delete(nodeId);
    return known === undefined ? [] : [known.number];
  }

  #setLags(nodeId: string, lags: Lags): readonly (readonly [number: number, lags: Lags])[] {
    const known = this.#known.get(nodeId);
    if (known === undefined) return [];
    this.#known.set(nodeId, { ...known, lags });
    return [[known.number, lags]];
  }
}

/** The field, unless it is empty. */
function listed<Name extends string, T>(name: Name, items: readonly T[]): { readonly [Field in Name]?: readonly T[] } {
  // A computed name has the type of any text.
  return (items.length === 0 ? {} : { [name]: items }) as { readonly [Field in Name]?: readonly T[] };
}

function isCurrent(lags: Lags): boolean {
  return Object.keys(lags).length === 0;
}
