import { namespaceCalls } from "../../../calls/namespace-calls.ts";
import { PacedResult } from "../../../calls/paced-result.ts";
import type { DeskState } from "../../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found } from "../../endpoint.ts";
import type { MeshSummary, NamespaceCalls } from "../../model/mesh.ts";
import { callersAmong, namespacesOf } from "./namespaces.ts";

const shownNamespaces = 200;

/** The matrix of calls between namespaces, shared by all desks. */
export function callMatrix(state: DeskState): PacedResult<readonly NamespaceCalls[]> {
  const operator = { type: "system" } as const;
  return new PacedResult({
    subject: () => [state.published()],
    compute: () => namespaceCalls(callersAmong(namespacesOf(state, operator)), state.published(), state.turn),
    now: () => performance.now(),
  });
}

/** A workload sees the calls within its namespace. */
export async function showMesh(
  state: DeskState,
  matrix: PacedResult<readonly NamespaceCalls[]>,
  { viewer }: ApiRequest,
): Promise<ApiAnswer> {
  const namespaces = namespacesOf(state, viewer);
  const names = new Set(namespaces.map(({ name }) => name));
  const { value, pending } = await matrix.get();
  const body: MeshSummary = {
    namespaces: { items: namespaces.slice(0, shownNamespaces), total: namespaces.length },
    calls: { between: value.filter(({ from, to }) => names.has(from) && names.has(to)), pending },
  };
  return found(body);
}
