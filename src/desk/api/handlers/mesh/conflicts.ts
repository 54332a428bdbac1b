import type { Viewer } from "../../../../admin/viewer.ts";
import { append } from "../../../../lib/append.ts";
import { namespaceOf } from "../../../../pilot/model/config-id.ts";
import { type Conflict, mergeConflicts } from "../../../../pilot/model/conflict.ts";
import { PacedResult } from "../../../calls/paced-result.ts";
import type { DeskState } from "../../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee } from "../../endpoint.ts";
import type { ConflictListing, MeshConflict } from "../../model/mesh.ts";
import { linkTo } from "../../object-links.ts";

const shownConflicts = 100;
const shownLosers = 10;

/** The conflicts in the resources of all connected proxies, shared by all desks. */
export function conflictSearch(state: DeskState): PacedResult<readonly Conflict[]> {
  return new PacedResult({
    subject: () => [state.published(), [...state.connections()].length],
    compute: () => searchConflicts(state),
    now: () => performance.now(),
  });
}

async function searchConflicts({ connections, conflictsAmong, turn }: DeskState): Promise<readonly Conflict[]> {
  const all: Conflict[] = [];
  const proxies = Array.from(connections(), ({ client }) => client);
  for (const step of conflictsAmong(proxies)) {
    append(all, step);
    await turn();
  }
  return mergeConflicts(all);
}

/** A workload sees conflicts of its own objects, without the names of others. */
export async function listConflicts(
  state: DeskState,
  search: PacedResult<readonly Conflict[]>,
  { viewer }: ApiRequest,
): Promise<ApiAnswer> {
  const { value, pending } = await search.get();
  const visible = value.filter(({ winner, losers }) =>
    [winner, ...losers].some((id) => id !== undefined && maySee(viewer, namespaceOf(id))),
  );
  const items = visible.slice(0, shownConflicts).map((conflict) => shown(conflict, viewer, state));
  const body: ConflictListing = { items, total: visible.length, pending };
  return found(body);
}

/** The subject of a conflict may name an object of another namespace: a workload gets it if it sees all of them. */
function shown({ type, about, winner, losers, reason }: Conflict, viewer: Viewer, state: DeskState): MeshConflict {
  const seen = losers.filter((id) => maySee(viewer, namespaceOf(id)));
  const seesWinner = winner !== undefined && maySee(viewer, namespaceOf(winner));
  const seesAll = viewer.type === "system" || (seesWinner && seen.length === losers.length);
  return {
    type,
    about: seesAll ? about : "an object of another namespace takes part",
    ...(seesWinner && { winner: linkTo(winner, state) }),
    losers: seen.slice(0, shownLosers).map((id) => linkTo(id, state)),
    reason: seesAll ? reason : "only one of the objects applies",
  };
}
