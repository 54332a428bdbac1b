import type { Config } from "../../../config/config.ts";
import { hash64 } from "../../../lib/hash.ts";
import { EnvelopeError } from "../../envelope/envelope-error.ts";
import type { Rejection } from "../../observer.ts";
import type { ConfigType } from "../config-types.ts";
import { type OpenedResource, openResource } from "./open-resource.ts";
import type { Response } from "./read-response.ts";

interface HeldResource extends OpenedResource {
  readonly version: string;
  /** Of the bytes it came as. */
  readonly fingerprint: bigint;
}

/** What became of one name. */
export interface HeldChange {
  readonly name: string;
  /** What was held before, if anything was. */
  readonly before: Config | undefined;
}

/** What a response meant for one type. */
export interface Taken {
  /** Names that are new, differ, are gone, or are readable again. */
  readonly changes: readonly HeldChange[];
  /** New content that cannot be read. A resource that is held under such a name stays. */
  readonly rejected: readonly Rejection[];
}

/** What a sink holds under one type URL, for as long as the sink lives. */
export class HeldType {
  readonly type: ConfigType;
  readonly #sourceName: string;
  readonly #byName = new Map<string, HeldResource>();
  /** Most of a response is what is held already: known by its bytes, it is not read again. */
  readonly #byFingerprint = new Map<bigint, HeldResource>();
  /** The name of each resource that could not be read when it last came, by the hash of its bytes. */
  readonly #rejected = new Map<bigint, string>();

  constructor(type: ConfigType, sourceName: string) {
    this.type = type;
    this.#sourceName = sourceName;
  }

  get size(): number {
    return this.#byName.size;
  }

  /** Version by name, as the server called it. */
  get versions(): ReadonlyMap<string, string> {
    return new Map(Array.from(this.#byName, ([name, { version }]) => [name, version]));
  }

  get(name: string): Config | undefined {
    return this.#byName.get(name)?.config;
  }

  names(): Iterable<string> {
    return this.#byName.keys();
  }

  /** `whole` if what the response lacks is gone. */
  take(response: Response, { whole }: { readonly whole: boolean }): Taken {
    const { came, rejected } = this.#open(response);
    const unreadable = new Set(rejected.map(({ name }) => name));
    const mended = new Set(this.#rejected.values());
    const gone = whole ? this.#lackedBy(came, unreadable) : response.removed;
    const differs = ([name, { config }]: readonly [string, HeldResource]) =>
      config !== this.get(name) || mended.has(name);
    const changed = [...came].filter(differs).map(([name]) => name);
    const changes = [...gone, ...changed].map((name) => ({ name, before: this.get(name) }));
    for (const name of gone) this.#forget(name);
    for (const held of came.values()) this.#hold(held);
    const news = rejected.filter(({ fingerprint }) => !this.#rejected.has(fingerprint));
    this.#forgive((name) => unreadable.has(name));
    for (const { name, fingerprint } of rejected) this.#rejected.set(fingerprint, name);
    return { changes, rejected: news.map(({ name, reason }) => ({ name, reason })) };
  }

  #hold(held: HeldResource): void {
    this.#forget(held.name);
    this.#byName.set(held.name, held);
    this.#byFingerprint.set(held.fingerprint, held);
  }

  #forget(name: string): void {
    const held = this.#byName.get(name);
    this.#byName.delete(name);
    this.#forgive((rejected) => rejected === name);
    if (held !== undefined) this.#byFingerprint.delete(held.fingerprint);
  }

  #forgive(isMeant: (name: string) => boolean): void {
    for (const [fingerprint, name] of this.#rejected) if (isMeant(name)) this.#rejected.delete(fingerprint);
  }

  #open({ resources, age }: Response) {
    const sender = { sourceName: this.#sourceName, age };
    const came = new Map<string, HeldResource>();
    const rejected: (Rejection & Pick<HeldResource, "fingerprint">)[] = [];
    for (const sent of resources) {
      const fingerprint = hash64(sent.value);
      const held = this.#byFingerprint.get(fingerprint);
      const known = held !== undefined && (sent.name ?? held.name) === held.name ? held : undefined;
      try {
        const { name, config } = known ?? openResource(sent, this.type, sender);
        came.set(name, { name, config, version: sent.version, fingerprint });
      } catch (thrown) {
        if (!(thrown instanceof EnvelopeError)) throw thrown;
        rejected.push({ name: thrown.resource, reason: thrown.reason, fingerprint });
      }
    }
    return { came, rejected };
  }

  /**
   * What was there, or was there and could not be read, and is no more. Where something has no name that could be read,
   * it may be any of them: then all stay.
   */
  #lackedBy(came: ReadonlyMap<string, HeldResource>, unreadable: ReadonlySet<string>): readonly string[] {
    if (unreadable.has("")) return [];
    const known = new Set([...this.#byName.keys(), ...this.#rejected.values()]);
    return [...known].filter((name) => !came.has(name) && !unreadable.has(name));
  }
}
