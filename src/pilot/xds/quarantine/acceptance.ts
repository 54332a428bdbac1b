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

/**
 * Remembers the content that each proxy has accepted, as an epoch of the log of changes. A proxy that owes no answer has
 * accepted everything. So only proxies with unanswered or rejected responses need an entry, and a push costs nothing.
 */
export class Acceptance {
  readonly log = new ChangeLog();
  /** The epoch in which a proxy has last accepted everything. */
  readonly #settledAt = new WeakMap<Connection<Proxy>, number>();
  /** Proxies that owe an answer, with the epoch up to which they have accepted everything, if there is one. */
  readonly #unsettled = new Map<Connection<Proxy>, number | undefined>();
  /** By class: versions that one proxy accepted after the class had refused earlier ones. */
  readonly #releases = new Map<string, ReadonlyMap<ConfigId, Release>>();

  /** The proxies that owe an answer. */
  get unsettled(): readonly Connection<Proxy>[] {
    return [...this.#unsettled.keys()];
  }

  /** A response leaves to the proxy. If it owed no answer so far, it has accepted everything before the last push. */
  sent(connection: Connection<Proxy>): void {
    if (this.#unsettled.has(connection)) return;
    this.#unsettled.set(connection, this.#epochOf(connection));
  }

  /** The proxy has accepted everything. */
  settled(connection: Connection<Proxy>): void {
    this.#unsettled.delete(connection);
    this.#settledAt.set(connection, this.log.epoch);
  }

  /** The proxy has accepted everything up to this epoch, except objects that its class refuses. */
  acceptedUntil(connection: Connection<Proxy>, epoch: number): void {
    this.#settledAt.set(connection, epoch);
    this.#unsettled.set(connection, epoch);
  }

  gone(connection: Connection<Proxy>): void {
    this.#unsettled.delete(connection);
  }

  /** A proxy of the class accepted this version of an object that the class had refused before. */
  noteRelease(classId: string, id: ConfigId, config: Config | undefined): void {
    const release = { epoch: this.log.epoch, config };
    this.#releases.set(classId, new Map([...(this.#releases.get(classId) ?? []), [id, release]]));
  }

  /** The last captured push is published. Forgets changes that all proxies have accepted. */
  published(): void {
    this.log.published();
    // A proxy that owes no answer gets this push only now.
    let oldest = this.log.epoch - 1;
    for (const epoch of this.#unsettled.values()) oldest = Math.min(oldest, epoch ?? oldest);
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
    const epoch = this.#epochOf(connection) ?? this.#ofSibling(connection, connections);
    const changed = epoch === undefined ? undefined : this.log.since(epoch);
    if (epoch === undefined || changed === undefined) return undefined;
    const releases = this.#releases.get(proxyClassOf(connection.client).id);
    return new Map(Array.from(changed, ([id, before]) => [id, acceptedOf(releases?.get(id), epoch, before)]));
  }

  #ofSibling({ classId }: Connection<Proxy>, connections: Iterable<Connection<Proxy>>): number | undefined {
    let newest: number | undefined;
    for (const each of connections) {
      const epoch = this.#epochOf(each);
      if (epoch !== undefined && epoch > (newest ?? -1) && each.classId === classId) newest = epoch;
    }
    return newest;
  }

  #epochOf(connection: Connection<Proxy>): number | undefined {
    if (this.#unsettled.has(connection)) return this.#unsettled.get(connection);
    const settledAt = this.#settledAt.get(connection);
    return settledAt === undefined ? undefined : Math.max(settledAt, this.log.epoch - 1);
  }
}

/** A class that refused `before` has accepted another version since. */
function acceptedOf(release: Release | undefined, epoch: number, before: Config | undefined): Config | undefined {
  return release !== undefined && release.epoch >= epoch ? release.config : before;
}

/** The proxy has accepted everything that it should have. Mostly a quick look tells that it has not. */
export function isSettled(connection: Connection<Proxy>, isServedByMain: boolean): boolean {
  const { watched } = connection;
  const owesNoAnswer = watched.every(
    ({ subscription, target }) =>
      target !== undefined &&
      (subscription.inFlight === undefined || subscription.type.neverAcknowledged === true) &&
      subscription.error === undefined,
  );
  if (!owesNoAnswer) return false;
  const isQuiet = watched.every(({ subscription, target }) => target !== undefined && !subscription.mayBeDue(target));
  // Another catalogue can have equal resources in other sets.
  return isQuiet || (!isServedByMain && connection.verdict.type === "accepted");
}
