import type { Kind } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import { Ledgers } from "../../galley/source/room/ledgers.ts";
import { Room, roomLimitsOf } from "../../galley/source/room/room.ts";
import type { OverloadPart } from "../overload/overload-part.ts";

/** Groups of objects that restrict access, and the settings of the mesh, which say how policies are applied. */
const essentialGroups = new Set(["security.istio.io", "authentication.istio.io", "rbac.istio.io", "mesh.istio.io"]);
const essential: ReadonlySet<string> = new Set(kinds.filter(isEssential).map(({ collection }) => collection));

/** The ledgers of a process, which share the heap below its limit. */
export function ledgersOf({ heapLimitBytes, overload }: Pick<OverloadPart, "heapLimitBytes" | "overload">): Ledgers {
  const room = new Room(roomLimitsOf(heapLimitBytes), () => overload.isMemoryScarce);
  return new Ledgers({ room, isEssential: (collection) => essential.has(collection) });
}

/** Policies, credentials and settings of the mesh. Without one of them others could get access. */
function isEssential({ group, snapshot }: Pick<Kind, "group" | "snapshot">): boolean {
  return essentialGroups.has(group) || snapshot === "credentials";
}
