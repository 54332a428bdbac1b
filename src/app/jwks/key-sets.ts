import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import type { KeySetReport } from "../../admin/pilot/jwks.ts";
import type { Message } from "../../config/analysis/message.ts";
import type { ConfigId } from "../../config/config.ts";
import { outputOf } from "../../config/kind.ts";
import { requestAuthentication } from "../../config/kinds/request-authentication.ts";
import type { Commit } from "../../collection/collection.ts";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { canonicalKey } from "../../lib/canonical-key.ts";
import { keyOf } from "../../pilot/model/config-id.ts";
import type { RequestAuthentication } from "../../pilot/model/policy/request-authentication.ts";
import { openEntrance } from "../../pilot/xds/entrance.ts";
import type { PilotGraph } from "../build-pilot.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component } from "../process/lifecycle.ts";
import type { FetchSettings } from "./fetch-document.ts";
import { fetchKeySet } from "./fetch-key-set.ts";
import { jwksLimits } from "./jwks-limits.ts";
import { KeySetKeeper, type KeySetRequest, type KeySetState } from "./key-set-keeper.ts";
import { keySetMessages } from "./key-set-messages.ts";
import { KeySetLog } from "./key-set-log.ts";
import { keySetReport } from "./key-set-report.ts";

type KeySetContext = Pick<ProcessContext, "options" | "logs" | "metrics" | "supervisor">;

/** Fetches the key sets that policies need, and writes them to Pilot's graph. Nothing is fetched before the start. */
export class KeySets {
  readonly component: Component;
  readonly #context: KeySetContext;
  readonly #mesh: PilotGraph;
  readonly #limits: Limits<typeof jwksLimits>;
  readonly #log: KeySetLog;
  #keeper: KeySetKeeper | undefined;

  constructor(context: KeySetContext, mesh: PilotGraph, limits = limitsOf(jwksLimits)) {
    this.#context = context;
    this.#mesh = mesh;
    this.#limits = limits;
    this.#log = new KeySetLog(context.logs.logger("processing"), context.metrics, () => this.#states());
    this.component = component("key sets", { start: () => this.#start(), stop: () => this.#stop() });
    const look = (commit: Commit) => {
      if (commit.changesOf(mesh.environment.policiesByKeySet).length > 0) this.#sync();
    };
    mesh.pilot.onCommit(context.supervisor.guard("key sets", look, { again: () => this.#sync() }));
  }

  /** Resolves when every needed key set was tried once, or after the longest wait. */
  async attempted(): Promise<void> {
    await this.#keeper?.attempted();
  }

  /** For `/debug/jwks`. */
  reports(): readonly KeySetReport[] {
    const { policiesByKeySet } = this.#mesh.environment;
    const now = this.#clock.now();
    return this.#states().map((state) => keySetReport(state, policiesByKeySet.get(state.key) ?? [], now));
  }

  /** For the analysis: the key sets that cannot be fetched. */
  messages(): readonly Message[] {
    const { policiesByKeySet, inputs } = this.#mesh.environment;
    const policies = inputs.get(outputOf(requestAuthentication) ?? "");
    const configOf = (id: ConfigId) => policies?.get(keyOf(id));
    return this.#states().flatMap((state) => keySetMessages(state, policiesByKeySet.get(state.key) ?? [], configOf));
  }

  get #entrance() {
    return this.#mesh.entrance ?? openEntrance;
  }

  get #clock() {
    return this.#context.supervisor.clockFor("key sets");
  }

  #states(): readonly KeySetState[] {
    return this.#keeper?.states() ?? [];
  }

  #start(): void {
    const settings = this.#settings();
    this.#keeper = new KeySetKeeper({
      clock: this.#clock,
      random: Math.random,
      refreshMs: this.#context.options.jwksRefreshMs,
      limits: this.#limits,
      fetch: ({ place, timeoutMs }) => fetchKeySet(place, timeoutMs, settings),
      arrived: (after, before) => this.#arrived(after, before),
      failed: (after, before) => this.#failed(after, before),
      dropped: (key) => this.#entrance.call({ type: "key set", key }, () => writeKeySet(this.#mesh, key, undefined)),
    });
    this.#sync();
  }

  #stop(): void {
    this.#keeper?.stop();
    this.#keeper = undefined;
  }

  #settings(): FetchSettings {
    const { jwksAllowHttp: allowHttp, jwksAllowLocal: allowLocal, jwksCa } = this.#context.options;
    return {
      allowHttp,
      allowLocal,
      limits: this.#limits,
      resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
      authorities: () => Promise.all(jwksCa.map((file) => readFile(file, "utf8"))),
    };
  }

  #sync(): void {
    const { policiesByKeySet } = this.#mesh.environment;
    const requests = Array.from(policiesByKeySet.entries(), ([key, policies]) => this.#requestOf(key, policies));
    this.#keeper?.want(new Map(requests.flat()));
  }

  /** If several rules need a key set, the longest of their timeouts counts. */
  #requestOf(key: string, policies: readonly RequestAuthentication[]): readonly (readonly [string, KeySetRequest])[] {
    const { exchangeMs, longestMs } = this.#limits;
    const rules = policies.flatMap((policy) => policy.rules);
    const users = rules.flatMap(({ place, timeoutMs = exchangeMs }) => {
      return place !== undefined && canonicalKey(place) === key ? [{ place, timeoutMs }] : [];
    });
    const timeoutMs = Math.min(
      longestMs,
      users.reduce((longest, user) => Math.max(longest, user.timeoutMs), 1),
    );
    return users.slice(0, 1).map(({ place }) => [key, { place, timeoutMs }] as const);
  }

  #arrived(after: KeySetState, before: KeySetState): void {
    this.#log.arrived(after, before);
    if (after.keySet === undefined) return;
    const { key } = after;
    const { text } = after.keySet;
    this.#entrance.call({ type: "key set", key, text }, () => writeKeySet(this.#mesh, key, text));
  }

  #failed(after: KeySetState, before: KeySetState): void {
    this.#log.failed(after, before);
    if (after.error?.code === "internal") this.#context.supervisor.failed("key sets", after.error);
  }
}

/** Replaces the key set that Pilot knows. Without a text, Pilot forgets it. */
export function writeKeySet({ environment }: PilotGraph, key: string, text: string | undefined): void {
  if (text === undefined) environment.fetchedKeySets.delete(key);
  else environment.fetchedKeySets.set(key, { text });
}
