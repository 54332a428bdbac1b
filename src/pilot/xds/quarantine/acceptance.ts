import type { Config, ConfigId } from "../../../config/config.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { proxyClassOf } from "../../model/proxy/proxy-class.ts";
import { ChangeLog } from "./change-log.ts";
import type { SuspectList } from "./suspects.ts";

/** The end of a refusal. */
interface Release {
  readonly epoch: number;
  /** The accepted version. */
  readonly config: Config | undefined;
}

/** Remembers what each proxy has accepted, as an epoch of the log of changes. */
export class Acceptance {
  readonly log = new ChangeLog();
  readonly #acceptedAt = new WeakMap<Connection<Proxy>, number>();
  /** By class: versions that one proxy accepted after the class had refused earlier ones. */
  readonly #releases = new Map<string, ReadonlyMap<ConfigId, Release>>();

  /** The proxy has accepted everything up to this epoch. */
  note(connection: Connection<Proxy>, epoch = this.log.epoch): void {
    this.#acceptedAt.set(connection, epoch);
  }

  /** A proxy of the class accepted this version of an object that the class had refused before. */
  noteRelease(classId: string, id: ConfigId, config: Config | undefined): void {
    const release = { epoch: this.log.epoch, config };
    this.#releases.set(classId, new Map([...(this.#releases.get(classId) ?? []), [id, release]]));
  }

  /** The last captured push is published. Forgets changes that all of these proxies have accepted. */
  published(connections: Iterable<Connection<Proxy>>): void {
    this.log.published();
    let oldest = this.log.epoch;
    for (const connection of connections) oldest = Math.min(oldest, this.#acceptedAt.get(connection) ?? oldest);
    this.log.forgetUntil(oldest);
    for (const [classId, releases] of this.#releases) {
      const left = [...releases].filter(([, { epoch }]) => epoch >= oldest);
      if (left.length === 0) this.#releases.delete(classId);
      else this.#releases.set(classId, new Map(left));
    }
  }

  /**
   * The objects that changed since this proxy accepted everything, with the accepted versions. For a proxy that never
   * did, another one with the same resources counts. Undefined if nothing is known.
   */
  changedFor(connection: Connection<Proxy>, connections: Iterable<Connection<Proxy>>): SuspectList | undefined {
    const epoch = this.#acceptedAt.get(connection) ?? this.#ofSibling(connection, connections);
    const changed = epoch === undefined ? undefined : this.log.since(epoch);
    if (epoch === undefined || changed === undefined) return undefined;
    const releases = this.#releases.get(proxyClassOf(connection.client).id);
    return new Map(Array.from(changed, ([id, before]) => [id, acceptedOf(releases?.get(id), epoch, before)]));
  }

  #ofSibling({ classId }: Connection<Proxy>, connections: Iterable<Connection<Proxy>>): number | undefined {
    let newest: number | undefined;
    for (const each of connections) {
      const epoch = this.#acceptedAt.get(each);
      if (epoch !== undefined && epoch > (newest ?? -1) && each.classId === classId) newest = epoch;
    }
    return newest;
  }
}

/** A class that refused `before` has accepted another version since. */
function acceptedOf(release: Release | undefined, epoch: number, before: Config | undefined): Config | undefined {
  return release !== undefined && release.epoch >= epoch ? release.config : before;
}

/** The proxy has accepted everything that it should have, as far as a quick look tells. */
export function isSettled({ watched }: Connection<Proxy>): boolean {
  return watched.every(
    ({ subscription, target }) =>
      target !== undefined &&
      (subscription.inFlight === undefined || subscription.type.neverAcknowledged === true) &&
      subscription.error === undefined &&
      !subscription.mayBeDue(target),
  );
}
