import { expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const withStatus = (type: string, status: string, reason = "No") =>
  objectYaml(
    "security.istio.io/v1",
    "AuthorizationPolicy",
    `spec: {}\nstatus: { conditions: [{ type: ${type}, status: "${status}", reason: ${reason} }] }`,
  );

test("an object that the control plane did not accept is reported", () => {
  const analyzer = "conditions.ConditionAnalyzer";
  expect(codesOf(analyzer, withStatus("WaypointAccepted", "False"))).toEqual(["IST0171"]);
  expect(codesOf(analyzer, withStatus("WaypointAccepted", "True"))).toEqual([]);
  expect(codesOf(analyzer, withStatus("WaypointAccepted", "True", "PartiallyInvalid"))).toEqual(["IST0171"]);
  expect(codesOf(analyzer, withStatus("Stalled", "False"))).toEqual([]);
});
