import { sameElements } from "../../lib/same-elements.ts";
import type { NameSet } from "../resources/name-set.ts";
import type { Resource } from "../resources/resource.ts";
import { ResourceSet } from "../resources/resource-set.ts";
import { find, type Target } from "../resources/target.ts";
import { type SplitRoutes, splitRoutes } from "./split-routes.ts";

/** The route configurations of a class of clients, in the form of these clients. */
export interface SplitTarget {
  /** RDS: shells where the client has shells, whole route configurations elsewhere. */
  readonly routes: Target;
  /** VHDS: one set per shell, sorted by the name of the shell. */
  readonly hosts: Target;
}

/**
 * Split route configurations that clients of one class share. Successive results keep equal sets and equal hosts as the
 * same objects, so a stream sees in one comparison that nothing is due.
 */
export class SplitClass {
  readonly #splits = new Map<string, SplitRoutes>();
  /** By the names of the shells. Clients that connected before a route configuration grew have it whole. */
  readonly #forms = new WeakMap<NameSet, { readonly from: Target; readonly target: SplitTarget }>();

  /** `absent` makes the stand-in of a route configuration that does not exist. */
  targetFor(from: Target, shells: NameSet, absent: (name: string) => Resource | undefined): SplitTarget {
    const known = this.#forms.get(shells);
    if (known !== undefined && sameElements(known.from, from)) return known.target;
    const splits = [...shells].toSorted().flatMap((name) => {
      const whole = find(from, name) ?? absent(name);
      return whole === undefined ? [] : [this.#split(whole)];
    });
    const target = {
      routes: routesOf(from, splits, known?.target.routes ?? []),
      hosts: splits.map(({ hosts }) => hosts),
    };
    this.#forms.set(shells, { from, target });
    return target;
  }

  #split(whole: Resource): SplitRoutes {
    const known = this.#splits.get(whole.name);
    if (known?.whole === whole) return known;
    const split = splitRoutes(whole, known);
    this.#splits.set(whole.name, split);
    return split;
  }
}

/** Shells replace their route configurations. Shells of missing ones join the first set. */
function routesOf(from: Target, splits: readonly SplitRoutes[], before: Target): Target {
  return from.map((set, part) => {
    const shells = splits.filter(({ whole: { name } }) =>
      part === 0 ? find(from.slice(1), name) === undefined : set.get(name) !== undefined,
    );
    const names = new Set(shells.map(({ shell }) => shell.name));
    const resources = [...Array.from(set).filter(({ name }) => !names.has(name)), ...shells.map(({ shell }) => shell)];
    return (before[part] ?? ResourceSet.empty).apply({ covers: "all", resources });
  });
}

/** The split route configurations of all classes of clients of a server. A class is kept as long as a client uses it. */
export class RouteSplits {
  readonly #classes = new Map<string, { readonly split: SplitClass; holders: number }>();

  get size(): number {
    return this.#classes.size;
  }

  hold(classId: string): SplitClass {
    const entry = this.#classes.get(classId) ?? { split: new SplitClass(), holders: 0 };
    this.#classes.set(classId, entry);
    entry.holders++;
    return entry.split;
  }

  release(classId: string): void {
    const entry = this.#classes.get(classId);
    if (entry !== undefined && --entry.holders === 0) this.#classes.delete(classId);
  }
}
