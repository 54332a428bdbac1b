import { admitReview } from "../../../src/config/admission/admit-review.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { toYaml } from "../../../src/config/yaml/to-yaml.ts";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

/**
 * Reviews of the validating webhook. Every body gets an answer. Differential: the webhook admits an object exactly if a
 * file with this object would be applied.
 */
export const target: FuzzTarget = {
  name: "validate-webhook",
  mode: "sync",
  words: [...inheritedNames, '"request":', '"object":', '"metadata":', '"spec":', '"DELETE"', '"generateName":'],
  planted: {
    file: "src/config/parse/parse-object.ts",
    before: "  const decoded = decode(row.schema, raw ?? {}",
    text: "JSON.stringify(object.fields)",
  },
  check: (input) => {
    const body = input.toString("utf8");
    for (const rules of ["byKind", "mixer"] as const) {
      const { review, verdict, request } = admitReview(body, { rules, unknownFields: "error" });
      const { uid, allowed, status } = review.response;
      promise(uid === (request?.uid ?? ""), "the answer has the uid of the request");
      promise(allowed === (verdict.type !== "denied"), "the answer says the verdict");
      promise(allowed || status?.message !== "", "a denial has a reason");
      promise(JSON.stringify(review).length < 1_000_000, "an answer has a bounded size");
      if (rules === "byKind" && isWritten(request)) compareWithFile(request.object, verdict.type === "allowed");
    }
  },
};

type Request = NonNullable<ReturnType<typeof admitReview>["request"]>;

/** Whether a user could have written the object of the request into a file. */
function isWritten(request: Request | undefined): request is Request & { readonly object: Record<string, unknown> } {
  if (request?.operation !== "CREATE" || request.name !== "" || request.namespace !== "") return false;
  const { object } = request;
  if (!isMapping(object) || !isMapping(object["metadata"]) || "generateName" in object["metadata"]) return false;
  const isKnown = kinds.some(({ kind }) => kind === object["kind"]);
  return isKnown && !("items" in object) && !Object.values(object).includes(null);
}

function compareWithFile(object: Record<string, unknown>, isAdmitted: boolean): void {
  const text = toYaml(object);
  const parsed = parseConfigs({ text, file: "a.yaml", source: "fuzz", kinds, defaultNamespace: "default" });
  const isApplied = parsed.configs.length === 1;
  promise(isApplied === isAdmitted, () => `admitted: ${isAdmitted}, applied: ${isApplied}\n${text}`);
}
