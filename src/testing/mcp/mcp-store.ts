import { type Config, configKey } from "../../config/config.ts";
import type { RejectedResource } from "../../mcp/mcp-observer.ts";
import { keyForWireName } from "../../mcp/sink/read-push.ts";
import type { SinkChange, SinkUpdater } from "../../mcp/sink/sink-updater.ts";

/** Holds what a sink is told, and says no when a test makes it. */
export class McpStore implements SinkUpdater {
  readonly collections = new Map<string, Map<string, Config>>();
  readonly changes: SinkChange[] = [];
  /** Throws for a change that is to be rejected as a whole. */
  judge: (change: SinkChange) => void = () => undefined;
  /** Objects that are not taken. */
  refuse: (config: Config) => boolean = () => false;

  apply(change: SinkChange): readonly RejectedResource[] {
    this.changes.push(change);
    this.judge(change);
    const { name } = change.collection;
    const before = this.collections.get(name) ?? new Map<string, Config>();
    const refused = change.objects.filter((config) => this.refuse(config));
    const kept = new Set([
      ...change.unreadable.flatMap(({ name: wireName }) => keyForWireName(wireName, change.collection)),
      ...refused.map(configKey),
    ]);
    const base = change.incremental ? [...before] : [...before].filter(([key]) => kept.has(key));
    const next = new Map(base.filter(([key]) => !change.removed.includes(key)));
    for (const config of change.objects) if (!refused.includes(config)) next.set(configKey(config), config);
    this.collections.set(name, next);
    return refused.map((config) => ({ name: configKey(config), reason: "refused" }));
  }

  /** The content of what is held, by key. */
  contents(collection: string): Readonly<Record<string, string>> {
    const entries = [...(this.collections.get(collection) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, { annotations }]) => [key, annotations["content"] ?? ""]));
  }
}
