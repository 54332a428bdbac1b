import type { WorkGate } from "../../lib/overload/overload.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Pace } from "../../lib/overload/work.ts";

/** The pause after each step of work that no proxy waits for. */
const pauseMs: Readonly<Record<Pace, number>> = { usual: 0, slower: 100, slowest: 1_000, refused: 1_000 };

/** A turn for the analysis and the status that follows from it. Under load it pauses after each step. */
export function pacedTurn(turn: () => Promise<void>, clock: SupervisedClock, gate: WorkGate): () => Promise<void> {
  return async () => {
    await turn();
    const ms = pauseMs[gate.paceOf("status")];
    if (ms === 0) return;
    gate.shed("status");
    await new Promise<void>((resolve) => clock.after(ms, resolve));
  };
}
