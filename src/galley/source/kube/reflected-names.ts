import { overLimit } from "../../../lib/bounded/limit.ts";
import type { FullRead, Reflection } from "./reflector.ts";

export interface ReflectedNamesOptions extends Pick<Reflection, "labelSelector" | "following" | "failed"> {
  readonly path: string;
  /** The most names that are held. */
  readonly maxNames: number;
  /** Throws if the end of a full read is doubtful, given the number of names before and now. Absent for no doubts. */
  readonly check?: (held: number, found: number) => void;
  /** Called when an object of this name was added, replaced or removed. */
  readonly changed: (name: string, there: boolean) => void;
}

/** Follows only the names of the objects at a path. */
export function reflectedNames(options: ReflectedNamesOptions): Reflection {
  const { path, maxNames, labelSelector, changed, check, ...told } = options;
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
    begin(): FullRead {
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
          check?.(known.size, found.size);
          for (const name of known.difference(found)) put(name, false);
          for (const name of found.difference(known)) put(name, true);
        },
      };
    },
    change(events) {
      for (const { type, object } of events) put(object.metadata.name, type !== "DELETED");
      if (known.size > maxNames) throw overLimit(`the list of ${path}`, maxNames, "objects", known.size);
      return Promise.resolve();
    },
  };
}
