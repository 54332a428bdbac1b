import { openMember } from "../../../../src/app/etcd/open-etcd.ts";
import { systemClock } from "../../../../src/app/process/system-clock.ts";
import { kinds } from "../../../../src/config/kinds.ts";
import { createEtcdSource } from "../../../../src/galley/source/etcd/etcd-source.ts";
import type { SessionSource } from "../../../../src/galley/source/session-source.ts";
import type { SourceEvent } from "../../../../src/galley/source/source.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { SourceRecorder } from "../../../../src/testing/recording/source-recorder.ts";
import type { Etcd } from "./etcd.ts";

const heartbeatMs = 250;
let prefixes = 0;

export interface FollowedOptions {
  /** The ports to connect to. Default: the server itself. */
  readonly ports?: readonly number[];
  /** Default: a new prefix. */
  readonly prefix?: string;
}

/** A prefix of an etcd for the writes of tests, and a source that follows it. */
export class FollowedEtcd implements AsyncDisposable {
  readonly etcd: Etcd;
  readonly prefix: string;
  readonly source: SessionSource;
  readonly heard = new SourceRecorder();
  /** The number of events already checked for health. */
  #judged = 0;

  constructor(etcd: Etcd, { ports = [etcd.port], prefix = `/mesh-${++prefixes}` }: FollowedOptions = {}) {
    const access = { hosts: ports.map((port) => `127.0.0.1:${port}`), tls: undefined, login: undefined };
    this.etcd = etcd;
    this.prefix = prefix;
    this.source = createEtcdSource({
      name: etcd.url(prefix.slice(1)),
      prefix,
      kinds,
      clock: systemClock,
      heartbeatMs,
      members: access.hosts.map((host) => async () => openMember(access, host, prefix)),
    });
  }

  /** Resolves when the source has sent everything, or has failed to. */
  async start(): Promise<this> {
    await this.source.start(this.heard.handler);
    await this.source.idle();
    return this;
  }

  /** The key of a ServiceEntry in the namespace `shop`. */
  key(name: string): string {
    return `${this.prefix}/networking.istio.io/serviceentries/shop/${name}`;
  }

  /** The first hostname of each ServiceEntry from the source, by name. */
  get hosts(): Readonly<Record<string, string | undefined>> {
    const entries = [...this.heard.state.values()];
    return Object.fromEntries(entries.map(({ name, spec }) => [name, (spec as { hosts: string[] }).hosts[0]]));
  }

  /** The events about objects since the call with this number. */
  saidSince(call: number): readonly SourceEvent[] {
    return this.heard.calls
      .slice(call)
      .flat()
      .filter(({ type }) => type !== "stale" && type !== "fresh");
  }

  /** Resolves when the source reports this state, after the last report that a test awaited. */
  async becomes(state: "stale" | "fresh"): Promise<void> {
    const found = () => {
      const index = this.heard.events.findIndex(({ type }, at) => at >= this.#judged && type === state);
      return index < 0 ? undefined : index;
    };
    this.#judged = (await eventually(`a source that is ${state}`, found, { seconds: 20 })) + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source.stop();
  }
}
