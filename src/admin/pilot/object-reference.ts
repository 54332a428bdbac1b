import type { ConfigId } from "../../config/config.ts";
import type { PilotState } from "../state.ts";

/** An object and its current file position. No position when the object is gone. */
export function objectWithReference(object: ConfigId, { originOf }: Pick<PilotState, "originOf">) {
  return { object, reference: originOf(object)?.reference ?? "" };
}
