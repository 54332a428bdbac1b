import { StructSchema } from "@bufbuild/protobuf/wkt";
import { isMapping } from "../../lib/is-mapping.ts";
import { hasErrors, isRefused } from "../finding.ts";
import { type Issue, toleratedIssue } from "../issue.ts";
import type { Kind } from "../kind.ts";
import { kindServedAs, kinds, splitApiVersion } from "../kinds.ts";
import { parseObject } from "../parse/parse-object.ts";
import type { RawObject } from "../parse/raw-object.ts";
import { checkAgainst } from "../proto-json/proto-json.ts";
import { show } from "../proto-json/value-result.ts";
import type { AdmissionRequest } from "./review.ts";
import { type DenialReason, denialText, denied, type Verdict, warningTexts } from "./verdict.ts";

/** The rules to apply: those for our kinds, those for Mixer, or those that fit the kind. */
export type RuleSet = "pilot" | "mixer" | "byKind";

export interface JudgeOptions {
  readonly rules: RuleSet;
  /**
   * Severity of unknown fields in a spec. Files with unknown fields are not applied, and the webhook should accept only
   * objects that can be applied. An error reaches the author while the author is still there. Most clusters drop such
   * fields before the webhook is called; the others would keep a hidden mistake. Use a warning if the webhook serves a
   * newer Istio, which knows more fields than we do.
   */
  readonly unknownFields: Issue["severity"];
}

const mixerKinds = new Set(["rule", "attributemanifest", "adapter", "handler", "instance", "template"]);

/** Judges one request. It keeps no state, so a dry run is like any other request. */
export function judge(request: AdmissionRequest, { rules, unknownFields }: JudgeOptions): Verdict {
  const isMixers = rules === "mixer" || (rules === "byKind" && mixerKinds.has(request.kind));
  if (isMixers && request.operation === "DELETE") return mixerDeletion(request);
  if (request.operation !== "CREATE" && request.operation !== "UPDATE") return { type: "unchecked", warnings: [] };
  if (!isMapping(request.object)) {
    return denied("yaml_decode_error", `there is no object to ${request.operation.toLowerCase()}`);
  }
  const fields = placed(request.object, request);
  return judgeObject(fields, { table: isMixers ? [structural(fields)] : kinds, unknownFields });
}

function mixerDeletion({ name }: AdmissionRequest): Verdict {
  if (name === "") return denied("invalid_resource", "the request does not name the object to delete");
  return { type: "allowed", warnings: [] };
}

type Fields = RawObject["fields"];

/** The request has the final namespace and name of the object. A name from `generateName` will be valid. */
function placed(object: Fields, { name, namespace }: AdmissionRequest): Fields {
  const metadata = isMapping(object["metadata"]) ? object["metadata"] : {};
  const generated = typeof metadata["generateName"] === "string" ? { name: `${metadata["generateName"]}0` } : {};
  const known = { ...(name !== "" && { name }), ...(namespace !== "" && { namespace }) };
  return { ...object, metadata: { ...generated, ...metadata, ...known } };
}

/** A kind of which only the frame is known. Its spec may be any mapping. */
function structural({ apiVersion, kind }: Fields): Kind {
  const { group, version } = splitApiVersion(textOf(apiVersion));
  return {
    kind: textOf(kind),
    group,
    versions: [version],
    plural: "",
    scope: "namespace",
    collection: "",
    schema: StructSchema,
  };
}

interface JudgedAs extends Pick<JudgeOptions, "unknownFields"> {
  readonly table: readonly Kind[];
}

/** An object from the wire has no line numbers. */
const locate = () => ({ file: "", line: 0, column: 0 });

function judgeObject(fields: Fields, { table, unknownFields }: JudgedAs): Verdict {
  const { config, issues } = parseObject(
    { fields, text: "", locate, locateLater: locate },
    { file: "", source: "admission", kinds: table, defaultNamespace: "default", readable: true, unknownFields },
  );
  const errors = issues.filter((issue) => isRefused([issue]));
  const warnings = warningTexts(issues.filter((issue) => !isRefused([issue])).map(toleratedIssue));
  if (config !== undefined) return { type: "allowed", warnings };
  if (errors.length === 0) return strangeKind(fields);
  const subject = issues.find(({ object }) => object !== "")?.object ?? "the object";
  return denied(reasonFor(fields, table), denialText(subject, errors), warnings);
}

/**
 * A directory may hold unrelated objects. The webhook is called only for configured kinds, so an unknown kind is an
 * error.
 */
function strangeKind({ apiVersion, kind }: Fields): Verdict {
  const what = `${show(kind)} of ${show(apiVersion)}`;
  return denied("unknown_type", `${what} is not a kind of this webhook: remove it from the rules of the webhook`);
}

function reasonFor(fields: Fields, table: readonly Kind[]): DenialReason {
  const row = kindServedAs(table, textOf(fields["apiVersion"]), textOf(fields["kind"]));
  if (row === undefined) return "unknown_type";
  const body = row.body === "object" ? fields : (fields["spec"] ?? {});
  const mismatches = checkAgainst(row.schema, body, "").filter(({ code }) => code !== "unknown-field");
  return hasErrors(mismatches) ? "crd_conversion_error" : "invalid_resource";
}

function textOf(raw: unknown): string {
  return typeof raw === "string" ? raw : "";
}
