import { MeshError } from "../../../lib/errors.ts";
import { livePlan } from "../../plan/live-plan.ts";
import { readPlanRequest } from "../../plan/plan-request.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, problem } from "../endpoint.ts";

/** Plans a change for the connected proxies, one plan at a time. */
export async function planChange(state: DeskState, { body }: ApiRequest): Promise<ApiAnswer> {
  try {
    const request = readPlanRequest(body);
    const gate = state.whatIf.enter();
    if (gate.type === "refused") return problem(gate.status, gate.reason);
    try {
      return found(await livePlan(state, request));
    } finally {
      gate.leave();
    }
  } catch (thrown) {
    const { code, message } = MeshError.from(thrown);
    if (code === "bad-option") return problem(400, message);
    if (code === "timeout") return problem(503, message);
    throw thrown;
  }
}
