import type { Kind } from "../../../config/kind.ts";
import { errorFrom } from "../../../lib/errors.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Pauses } from "../../../lib/time/pauses.ts";
import type { SourceSession } from "../session-source.ts";
import type { SourceHandler } from "../source.ts";
import { EtcdContent } from "./etcd-content.ts";
import { EtcdFollower } from "./etcd-follower.ts";
import type { EtcdMember } from "./etcd-member.ts";

export interface EtcdSourceOptions {
  /** As the user wrote it. */
  readonly name: string;
  /** The prefix of all keys, without a slash at the end. */
  readonly prefix: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** The most keys that the source holds. A store with more keys is not followed. */
  readonly maxKeys?: number;
  /** The members of the cluster, each as a function that connects to it. The source tries them in turn. */
  readonly members: readonly (() => Promise<EtcdMember>)[];
}

/** Lives from one start of the source to its stop. */
export class EtcdSession implements SourceSession {
  readonly #options: EtcdSourceOptions;
  readonly #follower: EtcdFollower;
  readonly #closing = new AbortController();
  readonly #closed = Promise.withResolvers<string>();
  readonly #ended: Promise<void>;
  /** Resolves when the first member was followed, or failed. */
  readonly #tried = Promise.withResolvers<void>();
  #member: EtcdMember | undefined;
  /** The number of consecutive members that failed. */
  #failures = 0;
  /** Pauses after all members have failed. */
  readonly #backoff = new Backoff({ firstMs: 100, lastMs: 10_000 });

  constructor(options: EtcdSourceOptions, handler: SourceHandler) {
    const { name: source, prefix, kinds } = options;
    this.#options = options;
    this.#follower = new EtcdFollower({
      ...options,
      content: new EtcdContent({ prefix, source, kinds }),
      syncs: kinds.map(({ collection }) => ({ type: "fullSync", collection })),
      handler: (events) => {
        handler(events);
        this.#tried.resolve();
      },
    });
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#closed.resolve("stopped");
    this.#tried.resolve();
    await this.#ended;
  }

  async idle(): Promise<void> {
    await this.#tried.promise;
    if (this.#member === undefined) return;
    // The loop that follows the member reports failures.
    await this.#follower.catchUp(this.#member).catch(() => {});
  }

  async #run(): Promise<void> {
    const { members } = this.#options;
    for (let turn = 0; !this.#closing.signal.aborted; turn += 1) {
      const connect = members[turn % members.length];
      if (connect === undefined) return;
      const reason = await this.#follow(connect);
      if (this.#closing.signal.aborted) return;
      this.#failures = this.#follower.following ? 0 : this.#failures + 1;
      this.#follower.lost(reason);
      await this.#pause();
    }
  }

  /** Resolves with the reason why following ended. Abandoned calls end by themselves. */
  async #follow(connect: () => Promise<EtcdMember>): Promise<string> {
    try {
      using member = await connect();
      this.#member = member;
      return await Promise.race([this.#follower.follow(member, this.#closing.signal), this.#closed.promise]);
    } catch (thrown) {
      return errorFrom(thrown).message;
    } finally {
      this.#member = undefined;
    }
  }

  /** No pause before a member that was not tried yet. */
  async #pause(): Promise<void> {
    const { members, clock } = this.#options;
    if (this.#failures === 0) this.#backoff.reset();
    if (this.#failures % members.length !== 0 || this.#failures === 0) return;
    await new Pauses(clock, this.#closing.signal).wait(this.#backoff.next());
  }
}
