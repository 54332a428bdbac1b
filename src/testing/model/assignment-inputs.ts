import { oneNetwork } from "../../pilot/model/location/networks.ts";
import { unknownLocation } from "../../pilot/model/location/proxy-location.ts";
import { defaultMeshSettings } from "../../pilot/model/mesh-settings.ts";
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
    location: unknownLocation,
    ...changes,
  };
}
