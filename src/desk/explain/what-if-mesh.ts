import { knownConfig } from "../../admin/explain/known-config.ts";
import type { Config, ConfigId } from "../../config/config.ts";
import { configId } from "../../config/config.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { secretClientOf } from "../../pilot/model/credential/secret-client.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { Environment } from "../../pilot/registry/environment.ts";
import type { EnvironmentSettings } from "../../pilot/registry/inputs.ts";
import { SubstitutedMesh, type Substitutes } from "../../pilot/registry/substituted-mesh.ts";
import { Catalogue, type GeneratorProblem } from "../../pilot/xds/catalogue.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import { patchEffectsFor } from "../../pilot/xds/patch-effects.ts";
import { covers } from "../../pilot/xds/quarantine/scope.ts";
import type { FleetOptions } from "../../plan/fleet.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { secretType } from "../../xds/type-urls.ts";
import type { ExplainedMesh } from "./explain-in.ts";
import { TrialMesh } from "./trial-mesh.ts";

export interface WhatIfOptions {
  readonly environment: Environment;
  readonly settings: EnvironmentSettings;
  readonly discovery: Pick<DiscoveryServer, "catalogue" | "quarantine" | "rollouts" | "substitutesFor" | "splitFrom">;
  readonly clock: SupervisedClock;
  /** Awaited between the steps of the work, so that pushes and streams are served. */
  readonly turn: () => Promise<void>;
}

/** Everything that a plan needs of the meshes. */
interface WhatIfContexts<T> extends Pick<FleetOptions, "turn" | "generators" | "seedOf" | "splitFrom"> {
  readonly groups: readonly (Omit<T, "before" | "after"> & Pick<FleetOptions, "before" | "after">)[];
}

/** A mesh before and after a change, as it differs from that of the users. */
interface SubstitutedSides {
  readonly before: Substitutes;
  readonly after: Substitutes;
}

/** The second graph stays so long after the last question, because people ask several with small edits. */
const keptMs = 60_000;
/** Longest time for one question. */
const maxMs = 20_000;
/** Longest time for one plan, which is about all connected proxies. */
const maxPlanMs = 60_000;

/**
 * The mesh with edited objects, beside the live one. It is a second graph with copies of the live inputs, as for the
 * quarantine. Nothing here writes to the live graph, and no proxy gets anything of it.
 */
export class WhatIfMesh {
  readonly #options: WhatIfOptions;
  #substituted: SubstitutedMesh | undefined;
  #cancel: Cancel = () => undefined;

  constructor(options: WhatIfOptions) {
    this.#options = options;
  }

  get discovery(): WhatIfOptions["discovery"] {
    return this.#options.discovery;
  }

  /** Whether the second graph exists now. */
  get isOpen(): boolean {
    return this.#substituted !== undefined;
  }

  /** The object as it is in the live mesh. */
  currentOf(id: ConfigId): Config | undefined {
    return this.#options.environment.inputOf(id)?.get(id.slice(id.indexOf("/") + 1));
  }

  /** The collection from which Pilot reads objects of this kind; undefined if it reads none. */
  inputNameOf(id: ConfigId): string | undefined {
    return this.#options.environment.inputOf(id)?.name;
  }

  /**
   * The mesh with these objects, as the proxy would see it. `edited` must be of kinds that Pilot reads. The caller asks
   * one question at a time. Rejects with `timeout`, and with `internal` if a generator fails.
   */
  async with(edited: readonly Config[], connection: Connection<Proxy>): Promise<ExplainedMesh> {
    const turn = this.#boundedTurn();
    const substituted = await this.#open(turn);
    const objects = new Map(edited.map((config) => [idOf(config), config]));
    const substitutes = new Map([...this.#quarantined(connection.client, objects), ...objects]);
    const { push } = substituted.capture(substitutes, this.#options.discovery.catalogue.published.sequence);
    await turn();
    const catalogue = this.#catalogueOf(push);
    for (const { type } of connection.subscriptions) {
      resourcesFor(connection.client, type.typeUrl, catalogue);
      await turn();
    }
    const originOf = (id: ConfigId) => objects.get(id)?.origin ?? this.#options.environment.originOf(id);
    return {
      push,
      configOf({ client, subscriptions }) {
        const held = subscriptions.map(({ type: { typeUrl } }) => ({
          typeUrl,
          resources: resourcesFor(client, typeUrl, catalogue),
        }));
        return knownConfig(held, patchEffectsFor(client, catalogue.types, push), originOf);
      },
    };
  }

  /** The mesh that a proxy has now, for trials. The caller asks one question at a time. Its trials reject with `timeout`. */
  async trialsFor(client: Proxy): Promise<TrialMesh> {
    const turn = this.#boundedTurn();
    const substituted = await this.#open(turn);
    const { discovery } = this.#options;
    const own = discovery.substitutesFor(client);
    const { push } = substituted.capture(own, discovery.catalogue.published.sequence);
    return new TrialMesh({ client, substituted, own, catalogue: this.#catalogueOf(push), turn });
  }

  /** The meshes of groups of proxies before and after a change, all of one moment. `groupsNow` tells them at this moment. */
  async contexts<T extends SubstitutedSides>(groupsNow: () => readonly T[]): Promise<WhatIfContexts<T>> {
    const { discovery } = this.#options;
    const turn = this.#boundedTurn(maxPlanMs);
    const substituted = await this.#open(turn);
    const { sequence } = discovery.catalogue.published;
    const groups = groupsNow().map(({ before, after, ...others }) => ({
      ...others,
      before: substituted.capture(before, sequence).push,
      after: substituted.capture(after, sequence).push,
    }));
    return {
      groups,
      turn,
      generators: discovery.catalogue.types,
      seedOf: (key) => discovery.catalogue.wholeSetOf(key),
      splitFrom: (proxy) => discovery.splitFrom(proxy),
    };
  }

  async #open(turn: () => Promise<void>): Promise<SubstitutedMesh> {
    const { environment, settings } = this.#options;
    this.#keepForAWhile();
    const open = this.#substituted ?? new SubstitutedMesh(environment, settings);
    if (this.#substituted === undefined) await open.fill(turn);
    this.#substituted = open;
    return open;
  }

  #boundedTurn(mostMs = maxMs): () => Promise<void> {
    const { clock, turn } = this.#options;
    const end = clock.now() + mostMs;
    return async () => {
      await turn();
      if (clock.now() > end) throw new MeshError("timeout", `it takes more than ${mostMs / 1_000} s on this server`);
    };
  }

  /** Equal resources are the objects of the live catalogue, so that they take no memory. */
  #catalogueOf(push: PushContext): Catalogue {
    const { catalogue: live } = this.#options.discovery;
    return new Catalogue(
      live.types,
      push,
      fail,
      () => 0,
      (key) => live.wholeSetOf(key),
    );
  }

  /** Gives the second graph back. */
  close(): void {
    this.#cancel();
    this.#substituted = undefined;
  }

  #keepForAWhile(): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(keptMs, () => this.close());
  }

  /** The replacements of objects that the proxy refuses. A proxy tries an edited object anew. */
  #quarantined(client: Proxy, edited: ReadonlyMap<ConfigId, Config>): ReadonlyMap<ConfigId, Config | undefined> {
    const scopes = this.#options.discovery.quarantine?.scopes ?? [];
    const refusals = scopes
      .filter(({ scope }) => covers(scope, client))
      .flatMap((each) => [...each.refusals.values()])
      .filter(({ id }) => !edited.has(id));
    return new Map(refusals.flatMap(({ instead }) => [...instead.objects]));
  }
}

/** The live mesh keeps the last good part; here there is none. */
function fail({ cause }: GeneratorProblem): never {
  throw new MeshError("internal", `a generator fails: ${cause.message}`, { cause });
}

function idOf({ kind, namespace, name }: Config): ConfigId {
  return configId(kind, namespace, name);
}

/** All resources of a type: an edit may make names that the proxy does not ask for so far. */
function resourcesFor(client: Proxy, typeUrl: string, catalogue: Catalogue): readonly Resource[] {
  const type = catalogue.types.find((each) => each.typeUrl === typeUrl);
  if (type === undefined) return [];
  const asked = typeUrl === secretType ? secretNames(client, catalogue.published) : "all";
  const lease = catalogue.lease(type, client, asked);
  return (lease.target ?? []).flatMap((set) => [...set]);
}

function secretNames(client: Proxy, push: PushContext): ReadonlySet<string> {
  return new Set(secretClientOf(client, push).used);
}
