import { isDeepStrictEqual } from "node:util";
import { whyUnavailable } from "../../support/peers.ts";
import type { Fault, FaultOutcome } from "../fault.ts";
import type { Origin, OriginFault, SourceSubject } from "./origin.ts";
import { SourceWorld } from "./source-world.ts";

/** How long it may take until pages show a fault: longer than every time limit of a source. */
const noticed = { seconds: 60 };

/** The rows of the suite for one kind of source. */
export function rowsOf<O extends Origin>({ name, open, faults, peers = [] }: SourceSubject<O>): readonly Fault[] {
  return faults.map((fault) => ({
    name: `${name} that ${fault.name}`,
    effect: fault.effect,
    bound: fault.bound,
    ...(fault.form && { form: fault.form }),
    unavailable: () => whyUnavailable(peers),
    run: () => endure(open, fault),
  }));
}

/** Breaks the origin, and mends it. Nothing is sent meanwhile, and pages show the reason. */
async function endure<O extends Origin>(open: () => Promise<O>, fault: OriginFault<O>): Promise<FaultOutcome> {
  await using world = await SourceWorld.open(open);
  const before = world.fleet.responses;
  await fault.begin(world.origin);
  await world.says(fault.said, noticed);
  if (fault.saidBeside !== undefined) await world.says(fault.saidBeside, noticed, world.origin.beside);
  const isQuiet = isDeepStrictEqual(world.fleet.responses, before);
  await fault.end(world.origin, () => world.edit());
  const seconds = await world.recovered(fault.bound);
  return await world.outcome(seconds, isQuiet ? [] : ["clients received responses during the fault"]);
}
