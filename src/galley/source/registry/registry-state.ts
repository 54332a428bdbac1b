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

/** What becomes of services that registries list no longer, or without instances. */
export interface Retention {
  /** `empty`: a service that is gone stays without endpoints, so that proxies keep its cluster; `delete`: it goes. */
  readonly deleteMode: "empty" | "delete";
  /** How long it stays. */
  readonly zombieTtlMs: number;
  /** Whether endpoints stay rather than that a service has none. */
  readonly emptyProtection: boolean;
}

export const defaultRetention: Retention = {
  deleteMode: "empty",
  zombieTtlMs: 24 * 60 * 60_000,
  emptyProtection: false,
};

export interface RegistryStateOptions extends Retention, Conversion {
  readonly clock: Clock;
  readonly say: SourceHandler;
}

/** What one part of a registry (an interface, an application) lists, and what is wrong with the listing itself. */
export interface RegistryPart {
  readonly services: readonly RegistryService[];
  readonly issues?: readonly Issue[];
}

/**
 * What a source has said of a registry, from its start to its stop. It is told what parts of the registry list now and
 * says what that changes, one list of events per call; for equal content nothing. Parts that could not be read are
 * simply not mentioned: what is not read is not gone. Where two parts list services of one name, that of the part whose
 * name sorts first is used.
 */
export class RegistryState {
  readonly #options: RegistryStateOptions;
  readonly #parts = new Map<string, ReadonlyMap<string, RegistryService>>();
  /** The parts that list an object. */
  readonly #listedBy = new Map<string, Set<string>>();
  readonly #said = new Map<string, Config<ServiceEntry>>();
  readonly #issues = new Map<string, readonly Issue[]>();
  /** Since when nobody lists what is still said; the oldest first. */
  readonly #goneAt = new Map<string, number>();
  #cancelSweep: Cancel | undefined;

  constructor(options: RegistryStateOptions) {
    this.#options = options;
  }

  /** The parts that listed something when they were last told. */
  get parts(): Iterable<string> {
    return this.#parts.keys();
  }

  /** Takes what these parts list now; the others stay as they are. A part that is gone lists nothing. */
  update(parts: ReadonlyMap<string, RegistryPart>): void {
    const events: SourceEvent[] = [];
    const touched = new Set<string>();
    for (const [name, part] of parts) {
      this.#list(name, part, touched);
      append(events, this.#report(name, part.issues ?? []));
    }
    for (const key of touched) append(events, this.#resolve(key));
    if (events.length > 0) this.#options.say(events);
    this.#scheduleSweep();
  }

  /** Takes what the whole registry lists now: parts that are not named are gone. */
  replaceAll(parts: ReadonlyMap<string, RegistryPart>): void {
    const gone = [...this.#parts.keys()].filter((name) => !parts.has(name));
    this.update(new Map([...gone.map((name): [string, RegistryPart] => [name, { services: [] }]), ...parts]));
  }

  /** Nothing is said any more. */
  close(): void {
    this.#cancelSweep?.();
  }

  /** Adds to `touched` what may follow otherwise now. */
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

  /** Where nothing right can be made of a service, the last that was right stays. */
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
    const { clock, zombieTtlMs, say } = this.#options;
    const due = [...this.#goneAt].filter(([, goneAt]) => goneAt + zombieTtlMs <= clock.now());
    if (due.length > 0) say(due.flatMap(([key]) => this.#delete(key)));
    this.#scheduleSweep();
  }
}

function listedTwice(key: string, parts: readonly string[]): Issue {
  const message = `${parts.join(" and ")} make the same service; that of ${parts[0]} is used`;
  return warningAbout(objectNamed(key), { code: "listed-twice", message });
}
