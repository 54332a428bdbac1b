import { Graph } from "../collection/graph.ts";
import { ProtoWriter } from "../lib/proto-writer/proto-writer.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Proxy } from "../pilot/model/proxy/proxy.ts";
import { capturePush, type PushContext, withEndpoints } from "../pilot/model/push-context.ts";
import type { PushRequest } from "../pilot/model/push-request.ts";
import { buildEnvironment, type Environment, type EnvironmentSettings } from "../pilot/registry/environment.ts";
import { pushRequestFor } from "../pilot/registry/push-request-for.ts";
import type { Attendant } from "../pilot/xds/admission/entrance.ts";
import { DiscoveryServer, type OtherClients, type PipelineLimits } from "../pilot/xds/discovery-server.ts";
import type { Generator } from "../pilot/xds/generator.ts";
import { createGenerators } from "../pilot/xds/generators.ts";
import type { XdsObserver } from "../pilot/xds/observer.ts";
import { type WarmingRules, warmingRules } from "../xds/stream/warming.ts";
import type { Aside } from "../xds/xds-server.ts";

/** What only tests set otherwise, to show what happens then. */
export interface ProtocolSettings {
  readonly warmingRules: WarmingRules;
  /** How long a proxy may leave a response unanswered before the next one goes out all the same. */
  readonly ackTimeoutMs: number;
}

export const protocolDefaults: ProtocolSettings = { warmingRules, ackTimeoutMs: 15_000 };

export interface PilotOptions {
  readonly settings: EnvironmentSettings;
  readonly clock: Clock;
  readonly turn: () => Promise<void>;
  readonly debounce: { readonly quietMs: number; readonly maxWaitMs: number };
  readonly observer: XdsObserver;
  /** A change of the mesh is on its way to the proxies. */
  readonly onUpdate: (request: PushRequest) => void;
  readonly protocol: ProtocolSettings;
  readonly limits?: PipelineLimits;
  /** Stands between the catalogue and the generators: for those who count what is made. */
  readonly tap?: (generators: readonly Generator[]) => readonly Generator[];
  /** Who is told of proxies that come and go. */
  readonly attendant?: Attendant;
  /** Answers questions about the server itself. */
  readonly aside?: Aside<Proxy>;
  /** Who serves clients that are no proxies. */
  readonly otherClients?: OtherClients;
  /** Whether a client that has proved who it is must be who its node says it is; it must, unless told otherwise. */
  readonly identityCheck?: boolean;
}

export type Pilot = ReturnType<typeof buildPilot>;

/** The second half of the road: Pilot's graph → DiscoveryServer. Whoever fills the inputs is the other half. */
export function buildPilot({
  settings,
  clock,
  turn,
  debounce,
  observer,
  onUpdate,
  protocol,
  ...options
}: PilotOptions) {
  const pilot = new Graph();
  const environment = buildEnvironment(pilot, settings);
  const writer = new ProtoWriter();
  const { tap = (generators: readonly Generator[]) => generators } = options;
  const discovery = new DiscoveryServer({
    clock,
    turn,
    generators: tap(createGenerators({ writer })),
    push: capturePush(environment.views(), 0),
    capture: captureFrom(environment),
    observer,
    debounce,
    ...protocol,
    identityCheck: options.identityCheck ?? true,
    ...(options.aside && { aside: options.aside }),
    ...(options.otherClients && { otherClients: options.otherClients }),
    ...(options.limits && { limits: options.limits }),
    ...(options.attendant && { attendant: options.attendant }),
  });
  pilot.onCommit((commit) => {
    const request = pushRequestFor(commit, environment, clock.now());
    if (request === undefined) return;
    onUpdate(request);
    discovery.configUpdate(request);
  });
  return { pilot, environment, writer, discovery };
}

/** Makes the contexts of successive pushes, each with a higher number than the one before. */
function captureFrom(environment: Environment) {
  return (previous: PushContext, what: "everything" | "endpoints"): PushContext => {
    const sequence = previous.sequence + 1;
    if (what === "everything") return capturePush(environment.views(), sequence);
    const { endpoints, instances } = environment;
    return withEndpoints(previous, { endpoints: endpoints.snapshot(), instances: instances.snapshot() }, sequence);
  };
}
