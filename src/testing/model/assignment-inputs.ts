import { defaultMeshSettings } from "../../pilot/model/mesh-settings.ts";
import { oneNetwork } from "../../pilot/model/place/networks.ts";
import { anywhere } from "../../pilot/model/place/standpoint.ts";
import type { AssignmentInputs } from "../../pilot/networking/endpoint/assigned-groups.ts";
import { fakeService } from "./fake-service.ts";

/** A service on port 80 without rules or endpoints, called from anywhere. */
export function fakeAssignment(changes: Partial<AssignmentInputs> = {}): AssignmentInputs {
  return {
    service: fakeService(),
    port: { number: 80, name: "http", protocol: "HTTP", targetPort: 80 },
    endpoints: undefined,
    rule: undefined,
    subset: undefined,
    mesh: defaultMeshSettings,
    networks: oneNetwork,
    refusals: undefined,
    standpoint: anywhere,
    ...changes,
  };
}
