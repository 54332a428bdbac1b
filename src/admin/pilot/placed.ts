import type { ConfigId } from "../../config/config.ts";
import type { PilotState } from "../state.ts";

/** An object, and where it stands now; nowhere when it is gone. */
export function placed(object: ConfigId, { originOf }: Pick<PilotState, "originOf">) {
  return { object, reference: originOf(object)?.reference ?? "" };
}
