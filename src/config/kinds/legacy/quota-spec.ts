import { type QuotaRule, QuotaSpecBindingSchema, QuotaSpecSchema } from "#gen/istio/mixer/v1/config/client/quota_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import type { Kind } from "../../kind.ts";
import { someText } from "../../rules/text.ts";
import { boundServices, boundSpecs, mixer, mixerCollection } from "./mixer.ts";

/** The quota cost of requests, for Mixer. */
export const quotaSpec: Kind<typeof QuotaSpecSchema> = {
  ...mixer,
  kind: "QuotaSpec",
  plural: "quotaspecs",
  collection: mixerCollection("quotaspecs"),
  output: "istio/mixer/v1/config/client/quotaspecs",
  schema: QuotaSpecSchema,
  validate: ({ spec: { rules } }) => [
    ...errorUnless(rules.length > 0, "spec.rules", { code: "missing-rule", message: "a QuotaSpec needs a rule" }),
    ...rules.flatMap((value, index) => quotaRule(value, fieldPath("spec.rules", index))),
  ],
};

export const quotaSpecBinding: Kind<typeof QuotaSpecBindingSchema> = {
  ...mixer,
  kind: "QuotaSpecBinding",
  plural: "quotaspecbindings",
  collection: mixerCollection("quotaspecbindings"),
  output: "istio/mixer/v1/config/client/quotaspecbindings",
  schema: QuotaSpecBindingSchema,
  validate: ({ spec: { services, quotaSpecs } }) => [
    ...boundServices(services),
    ...boundSpecs(quotaSpecs, "spec.quotaSpecs"),
  ],
};

function quotaRule({ match, quotas }: QuotaRule, path: string): readonly Finding[] {
  return [
    ...match.flatMap(({ clause }, index) =>
      Object.entries(clause).flatMap(([attribute, { matchType }]) =>
        someText(matchType.value ?? "", fieldPath(path, "match", index, "clause", attribute), "the value to match"),
      ),
    ),
    ...errorUnless(quotas.length > 0, `${path}.quotas`, { code: "missing-value", message: "a rule needs a quota" }),
    ...quotas.flatMap(({ quota, charge }, index) => [
      ...someText(quota, fieldPath(path, "quotas", index, "quota"), "the name of a quota"),
      ...errorUnless(charge > 0, fieldPath(path, "quotas", index, "charge"), {
        code: "out-of-range",
        message: `a charge is more than 0, not ${charge}`,
      }),
    ]),
  ];
}
