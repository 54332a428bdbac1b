import { Graph } from "../collection/graph.ts";
import type { Config, ConfigId } from "../config/config.ts";
import type { WorkGate } from "../lib/overload/overload.ts";
import { ProtoWriter } from "../lib/proto-writer/proto-writer.ts";
import type { Clock } from "../lib/time/clock.ts";
import { keyOf } from "../pilot/model/config-id.ts";
import type { Proxy } from "../pilot/model/proxy/proxy.ts";
import { capturePush, type PushContext, withEndpoints } from "../pilot/model/push-context.ts";
import type { PushRequest } from "../pilot/model/push-request.ts";
import { changedConfigs } from "../pilot/registry/changed-configs.ts";
import { buildEnvironment, type Environment } from "../pilot/registry/environment.ts";
import type { EnvironmentSettings } from "../pilot/registry/inputs.ts";
import { insteadOf } from "../pilot/registry/instead-of.ts";
import { pushRequestFor } from "../pilot/registry/push-request-for.ts";
import { Staging } from "../pilot/registry/rollout/staging.ts";
import { SubstitutedMesh } from "../pilot/registry/substituted-mesh.ts";
import { textOf } from "../pilot/registry/text-of.ts";
import type { ProxyLifecycleHooks } from "../pilot/xds/admission/stream-admission.ts";
import { DiscoveryServer, type OtherClients, type PipelineLimits } from "../pilot/xds/discovery-server.ts";
import type { Entrance } from "../pilot/xds/entrance.ts";
import type { Generator } from "../pilot/xds/generator.ts";
import { createGenerators } from "../pilot/xds/generators.ts";
import type { XdsObserver } from "../pilot/xds/observer.ts";
import type { AskGate, GateAnswer } from "../pilot/xds/rollout/staged-rollout.ts";
import { type WarmingRules, warmingRules } from "../xds/stream/warming.ts";
import { minHosts } from "../xds/virtual-hosts/split-routes.ts";
import type { OutOfBandHandler } from "../xds/xds-server.ts";
import { FollowedObjects } from "./xds/object-progress.ts";

/** Protocol settings. Only tests change their defaults. */
export interface ProtocolSettings {
  readonly warmingRules: WarmingRules;
  /** Time after which the next response is sent, even if the proxy has not answered the previous one. */
  readonly ackTimeoutMs: number;
  /** Whether the next response of a type waits until the proxy acknowledges the previous one. */
  readonly flowControl: boolean;
  /** Route configurations with at least so many virtual hosts are split for proxies that can take them (VHDS). */
  readonly splitFrom: number;
}

export const protocolDefaults: ProtocolSettings = {
  warmingRules,
  ackTimeoutMs: 15_000,
  flowControl: true,
  splitFrom: minHosts,
};

export interface DiscoveryOptions {
  readonly clock: Clock;
  readonly turn: () => Promise<void>;
  readonly debounce: { readonly quietMs: number; readonly maxWaitMs: number };
  readonly observer: XdsObserver;
  /** Called when a change of the mesh is about to be pushed. */
  readonly onUpdate: (request: PushRequest) => void;
  readonly protocol: ProtocolSettings;
  readonly limits?: PipelineLimits;
  /** Sheds work under load. Without it no work is shed. */
  readonly overload?: WorkGate;
  /** Wraps the generators, to count the resources that they generate. */
  readonly tap?: (generators: readonly Generator[]) => readonly Generator[];
  /** Called when proxies connect and disconnect. */
  readonly lifecycleHooks?: ProxyLifecycleHooks;
  /** Answers the debug requests of `istioctl`. */
  readonly debugRequests?: OutOfBandHandler<Proxy>;
  /** Serves clients that are not proxies. */
  readonly otherClients?: OtherClients;
  /** Whether the node of an authenticated client must match its identity. Defaults to true. */
  readonly identityCheck?: boolean;
  /** Whether objects that proxies refuse are kept away from these proxies. Defaults to false. */
  readonly quarantine?: boolean;
  /** Asks the gates of rollouts. Without it they stay closed. */
  readonly askGate?: AskGate;
  /** Whether proxies on this machine get private keys over plaintext. Defaults to false. */
  readonly plaintextSecrets?: boolean;
  /** Kinds that no source reads. */
  readonly excludedKinds?: ReadonlySet<string>;
}

const noGate: GateAnswer = { type: "no data", reason: "this server asks no Prometheus" };

export type PilotGraph = ReturnType<typeof buildPilotGraph> & {
  /** Everything that is no object and comes from outside passes here, if set. */
  readonly entrance?: Entrance | undefined;
};
export type Pilot = PilotGraph & ReturnType<typeof buildDiscovery>;

/** Builds Pilot's graph. The local link fills its inputs. */
export function buildPilotGraph(settings: EnvironmentSettings) {
  const pilot = new Graph();
  const environment = buildEnvironment(pilot, settings);
  const staging = new Staging({
    domain: settings.domain,
    currentOf: (id) => environment.inputOf(id)?.get(keyOf(id)),
    write: (objects) => pilot.batch(() => writeInputs(environment, objects)),
  });
  return { pilot, environment, staging, settings };
}

function writeInputs(environment: Environment, objects: ReadonlyMap<ConfigId, Config | undefined>): void {
  for (const [id, config] of objects) {
    if (config === undefined) environment.inputOf(id)?.delete(keyOf(id));
    else environment.inputOf(id)?.set(keyOf(id), config);
  }
}

/** Builds the discovery server. It pushes the commits of Pilot's graph. */
export function buildDiscovery(
  { pilot, environment, staging, settings, entrance }: PilotGraph,
  { clock, turn, debounce, observer, onUpdate, protocol, ...options }: DiscoveryOptions,
) {
  const writer = new ProtoWriter();
  const followed = new FollowedObjects({ clock, environment, excludedKinds: options.excludedKinds ?? new Set() });
  const { tap = (generators: readonly Generator[]) => generators } = options;
  const open = () => new SubstitutedMesh(environment, settings);
  const discovery = new DiscoveryServer({
    clock,
    turn,
    generators: tap(createGenerators({ writer })),
    push: capturePush(environment.views(), 0),
    capture: captureFrom(environment),
    observer,
    follower: followed.follower,
    debounce,
    ...protocol,
    identityCheck: options.identityCheck ?? true,
    plaintextSecrets: options.plaintextSecrets ?? false,
    ...(options.debugRequests && { debugRequests: options.debugRequests }),
    ...(options.otherClients && { otherClients: options.otherClients }),
    ...(options.limits && { limits: options.limits }),
    ...(options.overload && { overload: options.overload }),
    ...(options.lifecycleHooks && { lifecycleHooks: options.lifecycleHooks }),
    ...(entrance && { entrance }),
    rollouts: { open, staging, ask: options.askGate ?? (() => Promise.resolve(noGate)) },
    ...(options.quarantine === true && {
      quarantine: {
        open,
        currentOf: (id) => environment.inputOf(id)?.get(keyOf(id)),
        insteadOf,
        textOf,
      },
    }),
  });
  followed.follow(discovery);
  pilot.onCommit((commit) => {
    discovery.quarantine?.changed(changedConfigs(commit, environment));
    const request = pushRequestFor(commit, environment, clock.now());
    followed.committed(commit, request);
    if (request === undefined) return;
    const counted = { ...request, commits: [commit.sequence] };
    onUpdate(counted);
    discovery.configUpdate(counted);
  });
  return { writer, discovery, waits: followed.waits };
}

/** Creates the push contexts, with increasing numbers. */
function captureFrom(environment: Environment) {
  return (previous: PushContext, what: "everything" | "endpoints"): PushContext => {
    const sequence = previous.sequence + 1;
    if (what === "everything") return capturePush(environment.views(), sequence);
    const { endpoints, instances } = environment;
    return withEndpoints(previous, { endpoints: endpoints.snapshot(), instances: instances.snapshot() }, sequence);
  };
}
