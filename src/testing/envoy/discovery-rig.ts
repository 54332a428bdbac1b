import { configId } from "../../config/config.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import { DiscoveryServer, defaultLimits } from "../../pilot/xds/discovery-server.ts";
import type { Generator, PartFamily } from "../../pilot/xds/generator.ts";
import { warmingRules } from "../../xds/stream/warming.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { type ToyMesh, toyContext, toyGenerators } from "./toy-mesh.ts";

/** One cluster with endpoints, and a route to it. */
export const mesh: ToyMesh = {
  clusters: new Map([["a", 1]]),
  endpoints: new Map([["a", 1]]),
  routes: new Map([["r", ["a"]]]),
};

/** A request to push these changed objects, as `KIND/NAMESPACE/NAME`. */
export const changed = (...ids: readonly string[]): PushRequest => ({
  changed: new Set(ids.map((id) => configId(...(id.split("/") as [string, string, string])))),
  forced: false,
  reasons: new Map([["config", 1]]),
  startedAt: 0,
});

/** Replaces a part family in a test. */
type Tamper = (family: PartFamily, generator: Generator) => PartFamily;

/** A server whose captures are recorded, on generators that a test may tamper with. */
export function discoveryRig(
  tamper: Tamper = (family) => family,
  meshAt: (sequence: number) => ToyMesh = () => mesh,
  maxInFlight = 100,
) {
  const clock = new FakeClock();
  const observer = new RecordingObserver();
  const captures: string[] = [];
  let sequence = 0;
  const server = new DiscoveryServer({
    clock,
    turn: () => Promise.resolve(),
    generators: tampered(tamper),
    push: toyContext(0, mesh),
    capture: (_previous, what) => {
      captures.push(what);
      sequence++;
      return toyContext(sequence, meshAt(sequence));
    },
    observer,
    debounce: { quietMs: 10, maxWaitMs: 100 },
    ackTimeoutMs: 15_000,
    warmingRules,
    limits: { ...defaultLimits, maxInFlight },
  });
  return { clock, observer, captures, server };
}

/** The generators of the toy mesh, after a test changed their families. */
export function tampered(tamper: Tamper): readonly Generator[] {
  return toyGenerators().map((generator) => ({
    ...generator,
    families: generator.families.map((family) => tamper(family, generator)),
  }));
}
