import type { Config } from "../../../config/config.ts";
import type { MeshError } from "../../../lib/errors.ts";
import { hash64 } from "../../../lib/hash.ts";
import { EnvelopeError } from "../../envelope/envelope-error.ts";
import type { RejectedResource } from "../../mcp-observer.ts";
import { HeldSizes, type SinkLimits } from "../../sink/held-sizes.ts";
import type { ConfigType } from "../config-types.ts";
import { type OpenedResource, openResource } from "./open-resource.ts";
import type { ConfigResponse } from "./read-config-response.ts";

interface HeldResource extends OpenedResource {
  readonly version: string;
  /** The hash of the received bytes. */
  readonly fingerprint: bigint;
}

/** The change of one name. */
export interface HeldChange {
  readonly name: string;
  /** The previously held object, if any. */
  readonly before: Config | undefined;
}

/** The effect of a response on one type. */
export interface ResponseEffect {
  /** Names that are new, changed, gone, or readable again. */
  readonly changes: readonly HeldChange[];
  /** New unreadable content. A held resource of such a name stays. */
  readonly rejected: readonly RejectedResource[];
}

/** The resources that a sink holds under one type URL, for the lifetime of the sink. */
export class HeldType {
  readonly type: ConfigType;
  readonly #sourceName: string;
  readonly #sizes: HeldSizes;
  readonly #byName = new Map<string, HeldResource>();
  /** Most of a response is held already. Its bytes identify it, so it is not parsed again. */
  readonly #byFingerprint = new Map<bigint, HeldResource>();
  /** The name of each resource that was unreadable when it last arrived, by the hash of its bytes. */
  readonly #rejected = new Map<bigint, string>();

  constructor(type: ConfigType, sourceName: string, limits?: SinkLimits) {
    this.type = type;
    this.#sourceName = sourceName;
    this.#sizes = new HeldSizes(type.collection.name, limits);
  }

  /** The limit that a response would exceed in this type. No part of such a response may be accepted. */
  excessOf({ resources, removed }: ConfigResponse, { whole }: { readonly whole: boolean }): MeshError | undefined {
    // In SotW a resource has no name before it is opened, but there every response is whole.
    const sizes = resources.map(({ name, value }, index) => [name ?? `#${index}`, value.length] as const);
    return this.#sizes.take({ whole, removed, came: new Map(sizes) });
  }

  get size(): number {
    return this.#byName.size;
  }

  /** Versions by the server's names. */
  get versions(): ReadonlyMap<string, string> {
    return new Map(Array.from(this.#byName, ([name, { version }]) => [name, version]));
  }

  get(name: string): Config | undefined {
    return this.#byName.get(name)?.config;
  }

  names(): Iterable<string> {
    return this.#byName.keys();
  }

  /** With `whole`, resources missing from the response are gone. */
  take(response: ConfigResponse, { whole }: { readonly whole: boolean }): ResponseEffect {
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

  #open({ resources, age }: ConfigResponse) {
    const sender = { sourceName: this.#sourceName, age };
    const came = new Map<string, HeldResource>();
    const rejected: (RejectedResource & Pick<HeldResource, "fingerprint">)[] = [];
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
   * The names of held or unreadable resources that the response no longer contains. A resource without a readable name
   * may be any of them. Then all stay.
   */
  #lackedBy(came: ReadonlyMap<string, HeldResource>, unreadable: ReadonlySet<string>): readonly string[] {
    if (unreadable.has("")) return [];
    const known = new Set([...this.#byName.keys(), ...this.#rejected.values()]);
    return [...known].filter((name) => !came.has(name) && !unreadable.has(name));
  }
}
