import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { type Issue, warningAbout } from "../../../config/issue.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { append } from "../../../lib/append.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { deepEqual } from "../../../lib/equal.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import { objectNamed, type RegistryService } from "./registry-service.ts";
import { type Conversion, type Converted, serviceEntryOf, withoutEndpoints } from "./service-entry-of.ts";

const { collection } = serviceEntry;

/** The retention of services that a registry no longer lists, or lists without instances. */
export interface Retention {
  /** `empty`: a removed service stays without endpoints, so proxies keep its cluster. `delete`: it is removed. */
  readonly deleteMode: "empty" | "delete";
  /** How long a removed service stays. */
  readonly zombieTtlMs: number;
  /** Whether the last endpoints stay when a service would become empty. */
  readonly emptyProtection: boolean;
}

export const defaultRetention: Retention = {
  deleteMode: "empty",
  zombieTtlMs: 24 * 60 * 60_000,
  emptyProtection: false,
};

export interface RegistryStateOptions extends Retention, Conversion {
  readonly clock: Clock;
  readonly emit: SourceHandler;
}

/** The services of one part of a registry (an interface, an application), with issues of the listing itself. */
export interface RegistryPart {
  readonly services: readonly RegistryService[];
  readonly issues?: readonly Issue[];
}

/**
 * The reported state of a registry, from a source's start to its stop. It receives the current content of parts and
 * reports the changes, one list of events per call. Equal content gives no events. Unreadable parts are not mentioned,
 * so they do not count as gone. If two parts list services of one name, the part whose name sorts first wins.
 */
export class RegistryState {
  readonly #options: RegistryStateOptions;
  readonly #parts = new Map<string, ReadonlyMap<string, RegistryService>>();
  /** The parts that list an object. */
  readonly #listedBy = new Map<string, Set<string>>();
  readonly #said = new Map<string, Config<ServiceEntry>>();
  readonly #issues = new Map<string, readonly Issue[]>();
  /** When each reported object was last listed, for objects that no part lists any more. Oldest first. */
  readonly #goneAt = new Map<string, number>();
  #cancelSweep: Cancel | undefined;

  constructor(options: RegistryStateOptions) {
    this.#options = options;
  }

  /** The parts that listed something at their last update. */
  get parts(): Iterable<string> {
    return this.#parts.keys();
  }

  /** Updates these parts and keeps the others. A removed part lists nothing. */
  update(parts: ReadonlyMap<string, RegistryPart>): void {
    const events: SourceEvent[] = [];
    const touched = new Set<string>();
    for (const [name, part] of parts) {
      this.#list(name, part, touched);
      append(events, this.#report(name, part.issues ?? []));
    }
    for (const key of touched) append(events, this.#resolve(key));
    if (events.length > 0) this.#options.emit(events);
    this.#scheduleSweep();
  }

  /** Updates the whole registry: parts that are not named are gone. */
  replaceAll(parts: ReadonlyMap<string, RegistryPart>): void {
    const gone = [...this.#parts.keys()].filter((name) => !parts.has(name));
    this.update(new Map([...gone.map((name): [string, RegistryPart] => [name, { services: [] }]), ...parts]));
  }

  /** Reports nothing any more. */
  close(): void {
    this.#cancelSweep?.();
  }

  /** Adds the possibly changed objects to `touched`. */
  #list(part: string, { services, issues = [] }: RegistryPart, touched: Set<string>): void {
    const before = this.#parts.get(part) ?? new Map<string, RegistryService>();
    const now = new Map(services.map((service) => [configKey(service), service]));
    for (const [key, service] of now) {
      this.#listedBy.set(key, (this.#listedBy.get(key) ?? new Set()).add(part));
      if (!deepEqual(before.get(key), service)) touched.add(key);
    }
    for (const key of before.keys()) {
      if (now.has(key)) continue;
      this.#listedBy.get(key)?.delete(part);
      touched.add(key);
    }
    if (now.size + issues.length > 0) this.#parts.set(part, now);
    else this.#parts.delete(part);
  }

  #resolve(key: string): readonly SourceEvent[] {
    const parts = [...(this.#listedBy.get(key) ?? [])].toSorted(compareTexts);
    const service = this.#parts.get(parts[0] ?? "")?.get(key);
    if (service === undefined) return [...this.#report(objectNamed(key), []), ...this.#vanish(key)];
    this.#goneAt.delete(key);
    const converted = serviceEntryOf(service, this.#options);
    const clash = parts.length > 1 ? [listedTwice(key, parts)] : [];
    return [...this.#report(objectNamed(key), [...converted.issues, ...clash]), ...this.#show(key, converted)];
  }

  /** If a service cannot be converted, its last good version stays. */
  #show(key: string, { config, endpoints }: Converted): readonly SourceEvent[] {
    const said = this.#said.get(key);
    const shown = endpoints === 0 && said !== undefined ? this.#emptied(said) : (config ?? said);
    return shown === undefined ? [] : this.#upsert(key, shown);
  }

  #vanish(key: string): readonly SourceEvent[] {
    this.#listedBy.delete(key);
    const { clock, deleteMode, emptyProtection } = this.#options;
    const said = this.#said.get(key);
    if (said === undefined) return [];
    if (deleteMode === "delete" && !emptyProtection) return this.#delete(key);
    this.#goneAt.set(key, clock.now());
    return this.#upsert(key, this.#emptied(said));
  }

  #emptied(config: Config<ServiceEntry>): Config<ServiceEntry> {
    return this.#options.emptyProtection ? config : withoutEndpoints(config);
  }

  #upsert(key: string, config: Config<ServiceEntry>): readonly SourceEvent[] {
    const said = this.#said.get(key);
    if (said !== undefined && isSameConfig(said, config)) return [];
    this.#said.set(key, config);
    return [{ type: "upserted", collection, config }];
  }

  #delete(key: string): readonly SourceEvent[] {
    this.#goneAt.delete(key);
    this.#said.delete(key);
    return [{ type: "deleted", collection, key }];
  }

  #report(part: string, issues: readonly Issue[]): readonly SourceEvent[] {
    if (deepEqual(this.#issues.get(part) ?? [], issues)) return [];
    if (issues.length > 0) this.#issues.set(part, issues);
    else this.#issues.delete(part);
    return [{ type: "issues", part, issues }];
  }

  #scheduleSweep(): void {
    this.#cancelSweep?.();
    const [oldest] = this.#goneAt.values();
    if (oldest === undefined) return;
    const { clock, zombieTtlMs } = this.#options;
    this.#cancelSweep = clock.after(oldest + zombieTtlMs - clock.now(), () => this.#sweep());
  }

  #sweep(): void {
    const { clock, zombieTtlMs, emit } = this.#options;
    const due = [...this.#goneAt].filter(([, goneAt]) => goneAt + zombieTtlMs <= clock.now());
    if (due.length > 0) emit(due.flatMap(([key]) => this.#delete(key)));
    this.#scheduleSweep();
  }
}

function listedTwice(key: string, parts: readonly string[]): Issue {
  const message = `${parts.join(" and ")} define the same service; the one of ${parts[0]} is used`;
  return warningAbout(objectNamed(key), { code: "listed-twice", message });
}
