import { type Config, configKey } from "../../../src/config/config.ts";
import type { Clock } from "../../../src/lib/time/clock.ts";
import type { CollectionSets } from "../../../src/mcp/encoded-sets.ts";
import type { SinkUpdater } from "../../../src/mcp/sink/sink-updater.ts";
import type { ResourceSet } from "../../../src/xds/resources/resource-set.ts";

/** As the real Galley 1.3.6 has them: every process begins with v0. */
export function numbered(): (config: Config) => Config {
  const counts = new Map<string, number>();
  return (config) => {
    const key = `${config.kind}/${configKey(config)}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { ...config, version: `v${count}` };
  };
}

export function deaf(): (collections: ReadonlySet<string>) => ReadonlySet<string> {
  let count = 0;
  return (collections) => {
    count += 1;
    return count % 2 === 0 ? new Set() : collections;
  };
}

export function late(sets: CollectionSets): CollectionSets {
  const earlier = new Map<string, ResourceSet>();
  const newest = new Map<string, ResourceSet>();
  return {
    get(collection) {
      const set = sets.get(collection);
      const before = newest.get(collection);
      if (set === undefined || set === before) return earlier.get(collection) ?? set;
      newest.set(collection, set);
      if (before !== undefined) earlier.set(collection, before);
      return before ?? set;
    },
  };
}

export function unforgiving(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (ms, run) => {
      clock.after(ms + 1_000_000, run);
      return clock.after(ms, run);
    },
  };
}

/** As Mixer, and Pilot's synthetic controller. */
export function emptyIgnored(updater: SinkUpdater): SinkUpdater {
  return {
    apply: (change) => (change.objects.length === 0 && !change.incremental ? undefined : updater.apply(change)),
  };
}

export function swallowing(updater: SinkUpdater): SinkUpdater {
  return {
    apply(change) {
      try {
        return updater.apply(change);
      } catch {
        return undefined;
      }
    },
  };
}
