import { overLimit } from "../../../lib/bounded/limit.ts";
import type { Pass, Reflection } from "./reflector.ts";

export interface ReflectedNamesOptions extends Pick<Reflection, "labelSelector" | "following" | "failed"> {
  readonly path: string;
  /** How many names are held. */
  readonly maxNames: number;
  /** Something of this name is there, and was not or was another; or it is there no longer. */
  readonly changed: (name: string, there: boolean) => void;
}

/** The names of what there is at a path, and nothing else of it. */
export function reflectedNames({ path, maxNames, labelSelector, changed, ...told }: ReflectedNamesOptions): Reflection {
  const known = new Set<string>();
  const put = (name: string, there: boolean): void => {
    if (there) known.add(name);
    else known.delete(name);
    changed(name, there);
  };
  return {
    ...told,
    labelSelector,
    metadataOnly: true,
    locate: () => Promise.resolve(path),
    absent: () => {},
    begin(): Pass {
      const found = new Set<string>();
      return {
        take(events) {
          for (const { type, object } of events) {
            if (type === "DELETED") found.delete(object.metadata.name);
            else found.add(object.metadata.name);
          }
          return Promise.resolve();
        },
        end() {
          for (const name of known.difference(found)) put(name, false);
          for (const name of found.difference(known)) put(name, true);
        },
      };
    },
    change(events) {
      for (const { type, object } of events) put(object.metadata.name, type !== "DELETED");
      if (known.size > maxNames) throw overLimit(`all that is there of ${path}`, maxNames, "objects", known.size);
      return Promise.resolve();
    },
  };
}
