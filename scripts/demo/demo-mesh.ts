import { type Addresses, createControlPlane, type Logger } from "../../src/index.ts";
import type { Bookinfo } from "./bookinfo.ts";
import type { Edition } from "./cast/edition.ts";

export interface StageOptions {
  readonly edition: Edition;
  readonly directory: string;
  readonly bookinfo: Bookinfo;
  readonly logger: Logger;
}

/** The workloads of the example and the control plane that reads it, in this process. */
export interface DemoMesh extends AsyncDisposable {
  readonly addresses: Addresses;
}

/** Throws a `MeshError` that says what is in the way; then nothing is left running. */
export async function openStage({ edition, directory, bookinfo, logger }: StageOptions): Promise<DemoMesh> {
  await using stack = new AsyncDisposableStack();
  for (const workload of bookinfo.workloads) stack.use(await edition.startWorkload(workload));
  const anyPort = "127.0.0.1:0";
  const plane = createControlPlane({
    sources: [`file:${directory}`],
    xds: anyPort,
    http: anyPort,
    metrics: "off",
    ctrlz: "off",
    logger,
    logLevel: { xds: "debug" },
  });
  stack.defer(() => plane.stop());
  const addresses = await plane.start();
  const opened = stack.move();
  return { addresses, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
