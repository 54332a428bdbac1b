import type { FleetMember } from "../../../../src/fleet/connected-proxy.ts";
import { Fleet } from "../../../../src/fleet/fleet.ts";
import { fleetResourceTypes } from "../../../../src/fleet/fleet-resource-type.ts";
import type { VirtualProxy } from "../../../../src/fleet/virtual-proxy.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { type BinnacleOptions, startBinnacle } from "../binnacle/server.ts";

/** The content of each resource that a proxy holds, by type and name. */
export type Holding = Readonly<Record<string, string>>;

export function holdingOf(proxy: VirtualProxy): Holding {
  const resources = fleetResourceTypes.flatMap((type) => [...proxy.held(type).values()]);
  return Object.fromEntries(
    resources.map(({ type, name, content }) => [`${type} ${name}`, content.toString(16)] as const).toSorted(byName),
  );
}

/** The differences between the held and the expected resources, as text. */
export function differences(held: Holding, truth: Holding): readonly string[] {
  return Object.keys({ ...held, ...truth }).flatMap((name) => {
    if (held[name] === truth[name]) return [];
    if (held[name] === undefined) return [`${name} is missing`];
    return [truth[name] === undefined ? `${name} should be gone` : `${name} is old`];
  });
}

/** The resources that these proxies get from a fresh server, which has seen only the current files. */
export async function truthOf(
  dir: string,
  members: readonly FleetMember[],
  { args = [], within = [] }: Pick<BinnacleOptions, "args" | "within"> = {},
): Promise<readonly Holding[]> {
  await using fresh = await startBinnacle({ dir, args: [...args, "--log-level", "warn"], within });
  return await givenAt(fresh.xdsPort, members);
}

/** The resources that these proxies get if they connect to a server now. */
export async function givenAt(port: number, members: readonly FleetMember[]): Promise<readonly Holding[]> {
  const steady = members.map((member) => ({
    ...member,
    rejects: false,
    bytesPerSecond: undefined,
    reconnectEveryMs: undefined,
  }));
  const fleet = new Fleet({ address: { host: "127.0.0.1", port }, members: steady, perSecond: undefined });
  fleet.start();
  try {
    const all = () => fleet.report.inSync === members.length;
    await eventually("the server has served everybody", all, { seconds: 60 });
    return fleet.proxies.map(holdingOf);
  } finally {
    fleet.stop();
  }
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
