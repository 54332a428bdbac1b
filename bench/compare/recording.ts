import type { StreamMode } from "../../src/fleet/response.ts";
import { scanFields } from "../../src/xds/wire/wire-format.ts";
import { benchFleet, settledAfter } from "./bench-fleet.ts";
import { binnacle, type Contestant } from "./contestants.ts";
import { EditedMesh } from "./edited-mesh.ts";
import { editKey } from "./stages.ts";
import type { Workload } from "./workloads.ts";

export interface RecordedResponse {
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}

/** The responses of our server to one proxy, stage by stage. */
export interface Recording {
  readonly mode: StreamMode;
  readonly first: readonly RecordedResponse[];
  readonly reconnect: readonly RecordedResponse[];
  /** By {@link editKey}. */
  readonly edits: ReadonlyMap<string, readonly RecordedResponse[]>;
}

export interface RecordedRound {
  readonly mode: StreamMode;
  readonly editsPerStage: number;
  /** By default this server without more flags. */
  readonly contestant?: Contestant;
}

/** Records a round with one proxy. */
export async function recordRound(
  workload: Workload,
  { mode, editsPerStage, contestant = binnacle }: RecordedRound,
): Promise<Recording> {
  using mesh = new EditedMesh(workload.files);
  await using server = await contestant.start(mesh.path);
  let received: RecordedResponse[] = [];
  const onApplied = (_: unknown, bytes: Uint8Array) => void received.push(recorded(bytes));
  const fleet = benchFleet(workload, { proxies: 1, mode }, { xdsPort: server.xdsPort, onApplied });
  const during = async (act: () => void): Promise<readonly RecordedResponse[]> => {
    received = [];
    await settledAfter(fleet, act);
    return received;
  };
  try {
    const first = await during(() => fleet.start());
    const edits = new Map<string, readonly RecordedResponse[]>();
    for (const [stage, editOf] of Object.entries(workload.edits)) {
      for (let n = 0; n < editsPerStage; n++) {
        const { measured, undone } = editOf(n);
        edits.set(editKey(stage, n, "done"), await during(() => mesh.become(measured)));
        if (undone !== undefined) edits.set(editKey(stage, n, "undone"), await during(() => mesh.become(undone)));
      }
    }
    fleet.stop();
    const reconnect = await during(() => fleet.start());
    return { mode, first, reconnect, edits };
  } finally {
    fleet.stop();
  }
}

/** A copy, because the bytes are valid only during the call. */
function recorded(bytes: Uint8Array): RecordedResponse {
  let typeUrl = "";
  scanFields(bytes, (field, start, end) => {
    if (field === 4) typeUrl = Buffer.from(bytes.subarray(start, end)).toString("utf8");
  });
  return { typeUrl, bytes: Buffer.from(bytes) };
}
