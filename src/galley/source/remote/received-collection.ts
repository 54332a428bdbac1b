import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { type Finding, findingText, isRefused } from "../../../config/finding.ts";
import type { Issue } from "../../../config/issue.ts";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import { substituteOf } from "../../../config/parse/substitute.ts";
import { specJson } from "../../../config/spec-json.ts";
import { deepEqual } from "../../../lib/equal.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { resourceName } from "../../../mcp/envelope/resource-name.ts";
import type { RejectedResource } from "../../../mcp/mcp-observer.ts";
import { keyForWireName } from "../../../mcp/sink/read-push.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import type { SourceEvent } from "../source.ts";
import { checkReceived } from "./check-received.ts";
import { filledBy, isFallback } from "./received-collections.ts";

/** The effect of one message from a peer. */
export interface Received {
  readonly events: readonly SourceEvent[];
  /** Objects of the message that break the rules of their kind. Each keeps its last good version. */
  readonly refused: readonly RejectedResource[];
}

/** The name prefix of fallback entries for services. Authors cannot write such a name, so no user object is hidden. */
const fallbackPrefix = "synthetic_";

/** An object as last received, with the validation result. */
interface Judged {
  readonly config: Config;
  readonly findings: readonly Finding[];
}

/** One collection of a peer: the last good version of each object, and the issues of the latest versions. */
export class ReceivedCollection {
  readonly #collection: McpCollection;
  readonly #name: string;
  /** Whether the objects are fallback entries for services. */
  readonly #isFallback: boolean;
  /** The last good version of each object, by key. */
  readonly #configs = new Map<string, Config>();
  /** By key. Most of a full state is unchanged and is not validated again. */
  readonly #judged = new Map<string, Judged>();
  /** By wire name. */
  readonly #issues = new Map<string, readonly Issue[]>();
  #synced = false;

  constructor(collection: McpCollection) {
    this.#collection = collection;
    this.#name = filledBy(collection);
    this.#isFallback = isFallback(collection);
  }

  apply({ incremental, objects, removed, unreadable }: SinkChange): Received {
    const judged = objects.map((config) => this.#judge(config));
    const invalid = judged.filter(({ findings }) => isRefused(findings));
    const kept = new Set([
      ...unreadable.flatMap(({ name }) => keyForWireName(name, this.#collection)),
      ...objects.map(configKey),
    ]);
    const gone = incremental ? removed : [...this.#configs.keys()].filter((key) => !kept.has(key));
    const events = [
      ...this.#report(issuesOf(this.#collection, judged, unreadable), incremental ? removed : undefined),
      ...gone.flatMap((key) => this.#delete(key)),
      ...judged.filter(({ findings }) => !isRefused(findings)).flatMap(({ config }) => this.#set(config)),
      ...this.#substitute(invalid, unreadable),
      ...this.sync(),
    ];
    return { events, refused: invalid.map((each) => this.#rejection(each)) };
  }

  countIfEmptied({ incremental, objects, removed, unreadable }: SinkChange): number {
    if (objects.length + unreadable.length > 0) return 0;
    const gone = new Set(removed);
    return !incremental || this.#configs.keys().every((key) => gone.has(key)) ? this.#configs.size : 0;
  }

  clear(): readonly SourceEvent[] {
    return [...this.forget(), ...this.sync()];
  }

  forget(): readonly SourceEvent[] {
    return [...this.#report(new Map(), undefined), ...[...this.#configs.keys()].flatMap((key) => this.#delete(key))];
  }

  sync(): readonly SourceEvent[] {
    if (this.#synced) return [];
    this.#synced = true;
    return [{ type: "fullSync", collection: this.#isFallback ? receivedServices : this.#name }];
  }

  #judge(config: Config): Judged {
    const key = configKey(config);
    const before = this.#judged.get(key);
    if (before !== undefined && isSameConfig(before.config, config)) return before;
    const judged = { config, findings: checkReceived(config, this.#collection) };
    this.#judged.set(key, judged);
    return judged;
  }

  /**
   * Reports issues that differ from those reported before. Other objects keep their issues, unless they are `gone`.
   * Undefined means that all other objects are gone.
   */
  #report(found: ReadonlyMap<string, readonly Issue[]>, gone: readonly string[] | undefined): readonly SourceEvent[] {
    const mended = gone === undefined ? [...this.#issues.keys()] : gone.map((key) => this.#wireName(key));
    const now = new Map([...mended.map((name) => [name, []] as const), ...found]);
    return [...now].flatMap(([name, issues]) => {
      if (deepEqual(issues, this.#issues.get(name) ?? [])) return [];
      if (issues.length === 0) this.#issues.delete(name);
      else this.#issues.set(name, issues);
      return [{ type: "issues", part: `${this.#collection.name}/${name}`, issues }];
    });
  }

  #rejection({ config, findings }: Judged): RejectedResource {
    const errors = findings.filter((finding) => isRefused([finding]));
    return { name: resourceName(config, this.#collection), reason: errors.map(findingText).join("; ") };
  }

  /** Objects without an earlier version that could open access. */
  #substitute(invalid: readonly Judged[], unreadable: SinkChange["unreadable"]): readonly SourceEvent[] {
    const { kind } = this.#collection;
    const received = invalid.map(({ config }) => ({ ...config, spec: specJson(config, kind.schema) }));
    const unread = unreadable
      .flatMap(({ name }) => keyForWireName(name, this.#collection))
      .map((key) => ({ ...nameOf(key), labels: {}, createdAt: 0, spec: undefined, origin: unreadOrigin }));
    return [...received, ...unread].flatMap((object) => {
      if (this.#configs.has(configKey(object))) return [];
      const { spec, origin, ...metadata } = object;
      const config = substituteOf({ row: kind, metadata, spec, origin });
      return config === undefined ? [] : this.#set(config);
    });
  }

  #delete(key: string): readonly SourceEvent[] {
    this.#judged.delete(key);
    const config = this.#configs.get(key);
    if (config === undefined) return [];
    this.#configs.delete(key);
    return [{ type: "deleted", collection: this.#name, key: configKey(this.#published(config)) }];
  }

  #set(config: Config): readonly SourceEvent[] {
    const key = configKey(config);
    const before = this.#configs.get(key);
    if (before !== undefined && isSameConfig(before, config)) return [];
    this.#configs.set(key, config);
    return [{ type: "upserted", collection: this.#name, config: this.#published(config) }];
  }

  #published(config: Config): Config {
    return this.#isFallback ? { ...config, name: `${fallbackPrefix}${config.name}` } : config;
  }

  #wireName(key: string): string {
    const { renamed } = this.#collection;
    return key === renamed?.key ? renamed.wireName : key;
  }
}

const unreadOrigin = { source: "", reference: "", locate: () => undefined };

function nameOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The issues of each object in a message, by wire name. An empty list for a valid object. */
function issuesOf(
  collection: McpCollection,
  judged: readonly Judged[],
  unreadable: readonly RejectedResource[],
): ReadonlyMap<string, readonly Issue[]> {
  const { kind } = collection.kind;
  const issues = new Map<string, readonly Issue[]>();
  for (const { config, findings } of judged) {
    const name = resourceName(config, collection);
    issues.set(
      name,
      findings.map((finding) => ({ ...finding, object: `${kind} ${configKey(config)}`, place: undefined })),
    );
  }
  for (const { name, reason: message } of unreadable) {
    const object = `${kind} ${keyForWireName(name, collection)[0] ?? name}`.trimEnd();
    issues.set(name, [{ severity: "error", code: "unreadable", object, path: "", message, place: undefined }]);
  }
  return issues;
}
