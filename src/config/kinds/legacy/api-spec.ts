import type { Attributes } from "#gen/istio/mixer/v1/attributes_pb.js";
import {
  type HTTPAPISpec,
  HTTPAPISpecBindingSchema,
  type HTTPAPISpecPattern,
  HTTPAPISpecSchema,
} from "#gen/istio/mixer/v1/config/client/api_spec_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, type Finding } from "../../finding.ts";
import type { Kind } from "../../kind.ts";
import { someText } from "../../rules/text.ts";
import { boundServices, boundSpecs, mixer, mixerCollection } from "./mixer.ts";

/** The operations of an HTTP API, for Mixer. */
export const httpApiSpec: Kind<typeof HTTPAPISpecSchema> = {
  ...mixer,
  kind: "HTTPAPISpec",
  plural: "httpapispecs",
  collection: mixerCollection("httpapispecs"),
  schema: HTTPAPISpecSchema,
  validate: ({ spec }) => [
    ...attributes(spec.attributes, "spec.attributes"),
    ...errorUnless(spec.patterns.length > 0, "spec.patterns", {
      code: "missing-value",
      message: "an HTTPAPISpec needs a pattern",
    }),
    ...spec.patterns.flatMap((value, index) => pattern(value, fieldPath("spec.patterns", index))),
    ...apiKeys(spec),
  ],
};

export const httpApiSpecBinding: Kind<typeof HTTPAPISpecBindingSchema> = {
  ...mixer,
  kind: "HTTPAPISpecBinding",
  plural: "httpapispecbindings",
  collection: mixerCollection("httpapispecbindings"),
  schema: HTTPAPISpecBindingSchema,
  validate: ({ spec: { services, apiSpecs } }) => [
    ...boundServices(services),
    ...boundSpecs(apiSpecs, "spec.apiSpecs"),
  ],
};

function pattern(value: HTTPAPISpecPattern, path: string): readonly Finding[] {
  const { case: field = "uriTemplate", value: text = "" } = value.pattern;
  return [
    ...attributes(value.attributes, `${path}.attributes`),
    ...someText(value.httpMethod, `${path}.httpMethod`, "the method of a pattern"),
    ...someText(text, fieldPath(path, field), "the template or expression of a pattern"),
  ];
}

/** May be absent. An existing attribute needs a value of some type. */
function attributes(found: Attributes | undefined, path: string): readonly Finding[] {
  return Object.entries(found?.attributes ?? {}).flatMap(([name, { value }]) =>
    value.case === undefined
      ? [error(fieldPath(path, "attributes", name), { code: "missing-value", message: `"${name}" has no value` })]
      : [],
  );
}

function apiKeys({ apiKeys }: HTTPAPISpec): readonly Finding[] {
  return apiKeys.flatMap(({ key }, index) =>
    someText(key.value ?? "", fieldPath("spec.apiKeys", index), "the location of the key"),
  );
}
