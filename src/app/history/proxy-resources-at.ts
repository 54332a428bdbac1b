import type { ConfigId } from "../../config/config.ts";
import type { Lags } from "../../history/fleet.ts";
import type { MeshAt } from "../../history/history.ts";
import { type OfflineMesh, readMesh } from "../offline/read-mesh.ts";
import { type SourceAt, sourceAt } from "./source-at.ts";

/** The objects of a moment, and the resources that the pipeline makes from them. */
export interface GeneratedMoment extends Pick<SourceAt, "missing" | "redacted"> {
  readonly mesh: MeshAt;
  readonly offline: OfflineMesh;
}

export async function generateMoment(mesh: MeshAt): Promise<GeneratedMoment> {
  const { source, missing, redacted } = sourceAt(mesh);
  const offline = await readMesh({ inputs: [], sources: [source], mesh: undefined, ...mesh.settings });
  return { mesh, offline, missing, redacted };
}

/** The moments whose resources a proxy had: one for most types, and older ones for types in which it was behind. */
export interface HeldMoments extends GeneratedMoment {
  /** By the short names of types. Undefined for a type of which the proxy had accepted nothing. */
  readonly older: ReadonlyMap<string, GeneratedMoment | undefined>;
}

/** `momentAt` finds the objects of a moment by its number; undefined if the log no longer has them. */
export async function heldMoments(
  mesh: MeshAt,
  lags: Lags,
  momentAt: (number: number) => Promise<MeshAt | undefined>,
  generate = generateMoment,
): Promise<HeldMoments> {
  const newest = await generate(mesh);
  const generated = new Map<number, GeneratedMoment | undefined>([[mesh.moment.number, newest]]);
  const older = new Map<string, GeneratedMoment | undefined>();
  for (const [type, [number]] of Object.entries(lags)) {
    if (!generated.has(number)) {
      const found = number === 0 ? undefined : await momentAt(number);
      generated.set(number, found && (await generate(found)));
    }
    older.set(type, generated.get(number));
  }
  return { ...newest, older };
}

/** A mesh with the resources of each type as the proxy had them. */
export function heldMesh({ offline, older }: Pick<HeldMoments, "offline" | "older">): OfflineMesh {
  if (older.size === 0) return offline;
  const meshes = [offline, ...[...older.values()].flatMap((each) => each?.offline ?? [])];
  return {
    ...offline,
    resourcesFor: (proxy) =>
      offline.resourcesFor(proxy).map((type) => {
        if (!older.has(type.shortName)) return type;
        const before = older.get(type.shortName)?.offline.resourcesFor(proxy) ?? [];
        return { ...type, resources: before.find(({ typeUrl }) => typeUrl === type.typeUrl)?.resources ?? [] };
      }),
    originOf: (id: ConfigId) => meshes.map((each) => each.originOf(id)).find((origin) => origin !== undefined),
  };
}
