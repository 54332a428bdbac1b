import type { OnChange } from "../session.ts";
import type { WatchEvent } from "./answers.ts";

export type Watched = "exists" | "data" | "children";

/** The watches that an event fires. */
const firedBy: Readonly<Record<WatchEvent["type"], readonly Watched[]>> = {
  created: ["exists", "data"],
  deleted: ["exists", "data", "children"],
  changed: ["exists", "data"],
  children: ["children"],
};

/** Watches of single nodes on one connection. Each fires once, as in the server. */
export class NodeWatches {
  readonly #watches = new Map<string, Set<OnChange>>();

  add(what: Watched, path: string, onChange: OnChange): void {
    const key = `${what} ${path}`;
    const present = this.#watches.get(key);
    if (present === undefined) this.#watches.set(key, new Set([onChange]));
    else present.add(onChange);
  }

  fire({ type, path }: WatchEvent): void {
    for (const what of firedBy[type]) {
      const key = `${what} ${path}`;
      const watches = this.#watches.get(key) ?? [];
      this.#watches.delete(key);
      for (const onChange of watches) onChange();
    }
  }
}
