import type { Commit } from "../../collection/collection.ts";
import type { ConfigId } from "../../config/config.ts";
import { largest } from "../../lib/extremes.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { keyOf, kindNameOf } from "../../pilot/model/config-id.ts";
import { changedConfigs } from "../../pilot/registry/changed-configs.ts";
import type { Environment } from "../../pilot/registry/environment.ts";
import type { DiscoveryServer, PushFollower } from "../../pilot/xds/discovery-server.ts";
import { ContentLedger } from "../../pilot/xds/status/progress/content-ledger.ts";
import { ObjectWaits } from "../../pilot/xds/status/progress/object-waits.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import type { Connection } from "../../xds/connection.ts";
import type { PushRange } from "../../xds/stream/push-set.ts";

interface ProgressOptions {
  readonly clock: Clock;
  readonly environment: Environment;
  /** Kinds that no source reads. */
  readonly excludedKinds: ReadonlySet<string>;
}

/** Follows the objects of users on their way to the proxies. It is created before the discovery server. */
export class FollowedObjects {
  readonly ledger: ContentLedger;
  readonly waits: ObjectWaits;
  readonly #environment: Environment;
  readonly #now: () => number;
  /** The last answer of a proxy. */
  readonly #heardAt = new WeakMap<Connection<Proxy>, number>();
  /** The pushes of the last response. All proxies are sent the same push, so the ledger learns of it once. */
  #lastSent: PushRange | undefined;
  #discovery: DiscoveryServer | undefined;

  constructor({ clock, environment, excludedKinds }: ProgressOptions) {
    this.#environment = environment;
    const now = () => clock.now();
    this.#now = now;
    const connections = () => this.#discovery?.connections ?? new Set();
    this.ledger = new ContentLedger({
      now,
      published: () => this.#discovery?.catalogue.published.sequence ?? 0,
      hasStreams: () => connections().size > 0,
    });
    const facts = {
      ledger: this.ledger,
      connections,
      queuedFor: (connection: Connection<Proxy>) => this.#discovery?.queuedFor(connection),
      currentOf: (id: ConfigId) => environment.inputOf(id)?.get(keyOf(id)),
      quarantine: () => this.#discovery?.quarantine?.report(),
      rolloutOf: (id: ConfigId) => this.#discovery?.rollouts?.ofObject(id),
      isExcluded: (id: ConfigId) => excludedKinds.has(kindNameOf(id)),
      silentMs: (connection: Connection<Proxy>) => now() - this.#lastHeard(connection),
    };
    this.waits = new ObjectWaits({ facts, clock });
  }

  follow(discovery: DiscoveryServer): void {
    this.#discovery = discovery;
    discovery.rollouts?.onChanged(() => this.waits.changed());
  }

  /** The events of the discovery server. */
  get follower(): PushFollower {
    return {
      pushStarted: (push) => {
        this.ledger.pushStarted(push);
        this.waits.changed();
      },
      sent: ({ watched }) => {
        for (const { pushes } of watched) for (const range of pushes.unanswered) this.#sent(range);
      },
      answered: (connection) => {
        this.#heardAt.set(connection, this.#now());
        this.waits.answered(connection);
      },
      gone: () => this.waits.changed(),
    };
  }

  #sent(range: PushRange): void {
    const last = this.#lastSent;
    if (last?.first === range.first && last.last === range.last) return;
    this.#lastSent = range;
    this.ledger.responseSent([range]);
  }

  #lastHeard(connection: Connection<Proxy>): number {
    const { connectedAt, subscriptions } = connection;
    const sentAt = largest(subscriptions.map((subscription) => subscription.sentAt ?? connectedAt));
    return largest([connectedAt, sentAt, this.#heardAt.get(connection) ?? connectedAt]);
  }

  /** `request` is the push of the commit, if proxies are concerned. */
  committed(commit: Commit, request: PushRequest | undefined): void {
    this.ledger.committed(commit.sequence, changedConfigs(commit, this.#environment));
    if (request !== undefined) this.ledger.requested(commit.sequence);
    this.waits.changed();
  }
}
