import { kinds } from "../../config/kinds.ts";
import { receivedServices } from "../../config/mesh/mesh-service.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import type { MeshAt } from "../../history/history.ts";
import { configOf, isSealed } from "../../history/logged-object.ts";
import type { StateEntry } from "../../history/moment.ts";

/** The objects of a moment as a source, and those that it does not have as they were. */
export interface SourceAt {
  readonly source: MemorySource;
  /** Their records are damaged. */
  readonly missing: readonly StateEntry[];
  /** A key, a token or a password was left out of them. */
  readonly redacted: readonly StateEntry[];
}

/** The pipeline makes the same resources from this source as from the sources of that moment. */
export function sourceAt(mesh: MeshAt): SourceAt {
  const collections = [...kinds.map(({ collection }) => collection), receivedServices];
  const source = new MemorySource({ name: "history", collections });
  const missing: StateEntry[] = [];
  const redacted: StateEntry[] = [];
  for (const entry of mesh.entries.values()) {
    const object = mesh.objectOf(entry);
    const config = object && configOf(object, entry);
    if (object === undefined || config === undefined) {
      missing.push(entry);
      continue;
    }
    if (isSealed(object)) redacted.push(entry);
    source.set(entry.collection, config);
  }
  return { source, missing, redacted };
}
