import fc from "fast-check";
import { rowsOf } from "../../src/desk/api/objects/object-rows.ts";
import { VisibleViews } from "../../src/mcp/xds/visible-views.ts";
import { conflictsAmong } from "../../src/pilot/xds/conflicts.ts";
import { patchReports } from "../../src/pilot/xds/patch-effects.ts";
import { rejectedIn } from "../../src/pilot/xds/status/rejections.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { addedNames, NameSets } from "../../src/xds/resources/name-set.ts";
import { listenerType } from "../../src/xds/type-urls.ts";
import { EditedMesh } from "../scenarios/fresh-server/edited-mesh.ts";
import { anyNode, clientOf, usualNodes } from "../scenarios/fresh-server/nodes.ts";
import { coveringObjects } from "./covering-objects.ts";
import type { RecordedParts } from "./recorded-parts.ts";

/** Always the same edits and clients: the same keys are used in every run. */
const fixed = { seed: 1 };
const nodes = [...usualNodes, ...fc.sample(anyNode, { ...fixed, numRuns: 12 })];
const edits = fc.sample(interactingEdits, { ...fixed, numRuns: 1 });

/** Serves many kinds of clients while the mesh changes, and asks for everything else that is memoized. */
export async function exerciseKeys(parts: RecordedParts): Promise<void> {
  const edited = await EditedMesh.start(nodes, { tap: parts.tap });
  const additions = coveringObjects.map((object) => [{ object, deleted: false }]);
  for (const batch of [...additions, ...edits.flat()]) {
    await edited.edit(batch);
    edited.arrivals();
    findConflicts(edited);
  }
  await rejectListeners(edited);
  readAsRevision(edited, "canary");
  listObjects(edited);
  growNames();
}

/** As a client that subscribes to one more name. */
function growNames(): void {
  const sets = new NameSets();
  const before = sets.intern(["a"]);
  addedNames(before, sets.change(before, ["b"], []));
}

/** As the desk lists them. */
function listObjects({ mesh }: EditedMesh): void {
  rowsOf([new Map(), ...Array.from(mesh.outputs.values(), (collection) => collection.snapshot())]);
}

function findConflicts({ mesh, nodes: connected }: EditedMesh): void {
  const { types, published } = mesh.discovery.catalogue;
  const proxies = connected.map((node) => clientOf(node).proxy);
  Array.from(conflictsAmong(proxies, types, published));
  patchReports(proxies, types, published);
}

async function rejectListeners({ mesh }: EditedMesh): Promise<void> {
  const nodeId = "sidecar~10.0.0.1~x-0.a~a.svc.cluster.local";
  const envoy = mesh.connect("delta", { nodeId, metadata: { LABELS: { app: "x" } } });
  envoy.reject = (type) => type === listenerType;
  await mesh.settle([envoy]);
  for (const { subscriptions } of mesh.discovery.connections) subscriptions.forEach(rejectedIn);
}

function readAsRevision({ mesh }: EditedMesh, revision: string): void {
  const view = (collection: string) => mesh.outputs.get(collection)?.snapshot();
  const visible = new VisibleViews({ collections: new Map(), view }, revision);
  for (const collection of mesh.outputs.keys()) visible.view(collection);
}
