import { StructSchema } from "@bufbuild/protobuf/wkt";
import type { Issue } from "../issue.ts";
import type { Kind } from "../kind.ts";
import { kindInGroup, kinds, splitApiVersion } from "../kinds.ts";
import { parseObject } from "../parse-object.ts";
import { checkAgainst } from "../proto-json.ts";
import { isMapping, type RawObject } from "../raw-object.ts";
import type { AdmissionRequest } from "./review.ts";
import { type DenialReason, denied, type Verdict } from "./verdict.ts";
import { denialText, warningTexts } from "./verdict-text.ts";

/** Whose rules apply: those of our kinds, Mixer's, or what the kind demands. */
export type Rules = "pilot" | "mixer" | "byKind";

export interface JudgeOptions {
  readonly rules: Rules;
  /** How bad fields of a spec are that its kind does not have. */
  readonly unknownFields: Issue["severity"];
}

const mixerKinds = new Set(["rule", "attributemanifest", "adapter", "handler", "instance", "template"]);

/** Judges one request by itself: nothing is remembered, so a dry run is like any other. */
export function judge(request: AdmissionRequest, { rules, unknownFields }: JudgeOptions): Verdict {
  const isMixers = rules === "mixer" || (rules === "byKind" && mixerKinds.has(request.kind));
  if (isMixers && request.operation === "DELETE") return mixerDeletion(request);
  if (request.operation !== "CREATE" && request.operation !== "UPDATE") return { type: "unchecked" };
  if (!isMapping(request.object)) {
    return denied("yaml_decode_error", `there is no object to ${request.operation.toLowerCase()}`);
  }
  const fields = placed(request.object, request);
  return judgeObject(fields, { table: isMixers ? [structural(fields)] : kinds, unknownFields });
}

function mixerDeletion({ name }: AdmissionRequest): Verdict {
  if (name === "") return denied("invalid_resource", "the request does not say what to delete");
  return { type: "allowed", warnings: [] };
}

type Fields = RawObject["fields"];

/** The request knows where the object will be; a name that is yet to be made will be a good one. */
function placed(object: Fields, { name, namespace }: AdmissionRequest): Fields {
  const metadata = isMapping(object["metadata"]) ? object["metadata"] : {};
  const generated = typeof metadata["generateName"] === "string" ? { name: `${metadata["generateName"]}0` } : {};
  const known = { ...(name !== "" && { name }), ...(namespace !== "" && { namespace }) };
  return { ...object, metadata: { ...generated, ...metadata, ...known } };
}

/** A kind of which only the frame is known: its spec may be any mapping. */
function structural(fields: Fields): Kind {
  const { kind, group, version } = typeOf(fields);
  return {
    kind,
    group,
    versions: [version],
    plural: "",
    scope: "namespace",
    collection: "",
    schema: StructSchema,
    validate: () => [],
  };
}

function typeOf({ apiVersion, kind }: Fields) {
  return {
    kind: typeof kind === "string" ? kind : "",
    ...splitApiVersion(typeof apiVersion === "string" ? apiVersion : ""),
  };
}

interface JudgedAs extends Pick<JudgeOptions, "unknownFields"> {
  readonly table: readonly Kind[];
}

/** What comes over the wire has no lines. */
const locate = () => ({ file: "", line: 0, column: 0 });

function judgeObject(fields: Fields, { table, unknownFields }: JudgedAs): Verdict {
  const { config, issues } = parseObject(
    { fields, locate, locateLater: locate },
    { file: "", source: "admission", kinds: table, defaultNamespace: "default", readable: true, unknownFields },
  );
  if (config !== undefined) return { type: "allowed", warnings: warningTexts(issues) };
  const errors = issues.filter(({ severity }) => severity === "error");
  const subject = issues.find(({ object }) => object !== "")?.object ?? "the object";
  return denied(reasonFor(fields, table), denialText(subject, errors.length > 0 ? errors : [strangeKind]));
}

/** A directory may hold what is not ours; here we were asked about it, so nobody else checks it. */
const strangeKind: Issue = {
  severity: "error",
  code: "unknown-kind",
  object: "",
  path: "kind",
  message: "not a kind that this webhook knows",
  hint: "its configuration should not send us this kind",
  place: undefined,
};

function reasonFor(fields: Fields, table: readonly Kind[]): DenialReason {
  const { kind, group, version } = typeOf(fields);
  const row = kindInGroup(table, group, kind);
  if (row === undefined || !row.versions.includes(version)) return "unknown_type";
  const mismatches = checkAgainst(row.schema, fields["spec"], "spec").filter(({ code }) => code !== "unknown-field");
  return mismatches.some(({ severity }) => severity === "error") ? "crd_conversion_error" : "invalid_resource";
}
