import { compareTexts } from "../lib/compare.ts";
import type { Mode } from "../xds/mode.ts";
import type { Resource } from "../xds/resources/resource.ts";
import { entryLength } from "../xds/wire/encode.ts";
import type { Rehearsal, SentType } from "./rehearsal/rehearse.ts";

/** The change of a resource that a proxy holds. */
interface ResourceChange {
  readonly name: string;
  readonly operation: "added" | "changed" | "removed";
  /** Its bytes in a response; 0 if it is removed. */
  readonly bytes: number;
  /** The version that the proxy gets; the version that it had, if it is removed. */
  readonly resource: Resource;
}

/** Everything that a change does to one type of a proxy. */
export interface TypeChange extends SentType {
  readonly typeUrl: string;
  /** By name. A response also repeats unchanged resources: those of changed clusters, and in SotW whole lists. */
  readonly changes: readonly ResourceChange[];
}

/** By type URL. Types without responses and without changes are left out. */
export function typeChanges({ before, after, sent }: Rehearsal, mode: Mode): readonly TypeChange[] {
  const typeUrls = [...new Set([...before.keys(), ...after.keys(), ...sent.keys()])];
  return typeUrls.flatMap((typeUrl) => {
    const counts = sent.get(typeUrl) ?? { responses: 0, resources: 0, bytes: 0 };
    const changes = changesOf(before.get(typeUrl) ?? new Map(), after.get(typeUrl) ?? new Map(), mode);
    return counts.responses === 0 && changes.length === 0 ? [] : [{ typeUrl, ...counts, changes }];
  });
}

type ByName = ReadonlyMap<string, Resource>;

function changesOf(before: ByName, after: ByName, mode: Mode): readonly ResourceChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted(compareTexts);
  return names.flatMap((name): readonly ResourceChange[] => {
    const [was, is] = [before.get(name), after.get(name)];
    if (is === undefined) return was === undefined ? [] : [{ name, operation: "removed", bytes: 0, resource: was }];
    if (was?.version === is.version) return [];
    const operation = was === undefined ? "added" : "changed";
    return [{ name, operation, bytes: entryLength(mode, is), resource: is }];
  });
}
