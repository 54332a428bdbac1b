import { openDefinition, type TestKubeObject } from "./kube-objects.ts";

const text = { type: "string" };

/** As Istio's definitions have it today: of a message these fields are kept, and others dropped. */
const validationMessages = {
  type: "array",
  items: {
    type: "object",
    properties: {
      documentationUrl: text,
      level: { ...text, enum: ["UNKNOWN", "ERROR", "WARNING", "INFO"] },
      type: { type: "object", properties: { code: text, name: text } },
    },
  },
};

/** A kind of Istio's with any spec, and with a status that is written apart from it. */
export function statusDefinition(
  names: Parameters<typeof openDefinition>[0],
  status: "typed" | "open",
): TestKubeObject {
  const { spec, ...definition } = openDefinition(names);
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: open,
        status: { ...open, ...(status === "typed" && { properties: { validationMessages } }) },
      },
    },
  };
  const version = { name: "v1", served: true, storage: true, schema, subresources: { status: {} } };
  return { ...definition, spec: { ...spec, versions: [version] } };
}
