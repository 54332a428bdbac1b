import { keepRollouts } from "../../../src/app/rollout/shared-rollouts.ts";
import type { DocumentStore } from "../../../src/lib/document-store.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";
import { day, unexpected } from "../quarantine/stored-mesh.ts";
import { StagedMesh } from "./staged-mesh.ts";

/** A server whose rollouts are in this store. */
export async function serveStored(
  store: DocumentStore<string>,
  objects: readonly string[],
  { proxies = 0, time = day }: { readonly proxies?: number; readonly time?: number } = {},
) {
  const mesh = await StagedMesh.start("delta", 0, objects);
  const { clock } = mesh.setting.mesh;
  const logger = new RecordingLogger();
  const keeper = keepRollouts({
    rollouts: mesh.rollouts,
    store,
    clock,
    timeOfDay: () => time + clock.now(),
    logger,
    onFailure: unexpected,
  });
  await keeper.start();
  for (let number = 0; number < proxies; number++) mesh.connect();
  await mesh.setting.settle();
  return { mesh, keeper, logger };
}
