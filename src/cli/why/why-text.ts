import type { JsonValue } from "@bufbuild/protobuf";
import { configKey, type Config } from "../../config/config.ts";
import type { FieldCauses } from "../../desk/api/model/why.ts";
import type { Cause } from "../../provenance/find-causes.ts";
import { textTable } from "../text/text-table.ts";
import type { FieldAnswer, FieldQuestion } from "../../desk/explain/causes-of-field.ts";
import type { LineAnswer, LineEffect } from "./effects-of-line.ts";

/** The answer in the output for programs. */
interface CausesReport {
  readonly proxy: string;
  readonly type: string;
  readonly resource: string;
  readonly field: string;
  readonly value: JsonValue;
  readonly causes: readonly ShownCause[];
}

/** A cause in the output for programs. */
interface ShownCause {
  readonly role: "value" | "condition";
  readonly object: string;
  /** `file:line`; empty for an object without a text. */
  readonly reference: string;
  readonly field: string;
  readonly value: string | number | boolean | null;
}

export function causesReport(
  proxy: string,
  { type, resource, field }: FieldQuestion,
  { value, lines, objects }: FieldAnswer,
): CausesReport {
  const causes: readonly ShownCause[] = [...lines.map(shownCause), ...objects.map(shownObject)];
  return { proxy, type: type.shortName, resource, field, value, causes };
}

/** The same from a server. */
export function serverReport(proxy: string, { type, resource, field, value, causes }: FieldCauses): CausesReport {
  const shown = causes.map(({ role, object, field: path, value: written = null }) => {
    const { kind, namespace, name, reference = "" } = object;
    return { role, object: `${kind} ${configKey({ namespace, name })}`, reference, field: path, value: written };
  });
  // The server sends JSON.
  return { proxy, type, resource, field, value: value as JsonValue, causes: shown };
}

export function causesText(report: CausesReport, form: "text" | "wide"): string {
  const { type, resource, field, value, causes } = report;
  const shown = form === "wide" ? JSON.stringify(value) : shortJson(value);
  const head = field === "" ? `${type} ${resource}` : `${type} ${resource}: ${field} = ${shown}`;
  if (causes.length === 0) return `${head}\n\nno line of the mesh changes it: it is a default`;
  if (form === "wide") return `${head}\n\n${wideCauses(causes)}`;
  const rows = causes.map(({ role, reference, object, field: path, value: written }) => [
    role === "value" ? "value" : "condition",
    reference || "-",
    object,
    path === "" ? "" : `${path}: ${shortJson(written)}`,
  ]);
  return `${head}\n\n${textTable(["ROLE", "PLACE", "OBJECT", "FIELD"], rows)}`;
}

function wideCauses(causes: readonly ShownCause[]): string {
  const rows = causes.map(({ role, reference, object, field, value }) => {
    const [kind = "", key = ""] = object.split(" ");
    return [role, reference || "-", kind, key, field || "-", field === "" ? "-" : JSON.stringify(value)];
  });
  return textTable(["ROLE", "PLACE", "KIND", "NAME", "FIELD", "VALUE"], rows);
}

export function effectsReport({ object, leaves, fixed, effects }: LineAnswer) {
  return {
    object: nameOf(object.config),
    fields: leaves.map(({ path, value }) => ({ field: path, value })),
    notTried: fixed.map(({ path }) => path),
    effects: effects.map(shownEffect),
  };
}

export function effectsText(report: ReturnType<typeof effectsReport>, form: "text" | "wide"): string {
  const { object, fields, notTried, effects } = report;
  const head = fields.map(({ field, value }) => `${object} ${field}: ${shortJson(value)}`).join("\n");
  const fixed = notTried.map((field) => `\nno other valid value was found for ${field}`).join("");
  if (effects.length === 0) return `${head}${fixed}\n\nno resource of a proxy depends on it`;
  if (form === "wide") return `${head}${fixed}\n\n${wideEffects(effects)}`;
  const rows = effects.map(({ type, resource, effect, fields: changed, proxies }) => [
    type,
    resource,
    effect === "changed" ? changed.slice(0, mostFields).join(", ") + more(changed.length - mostFields) : effect,
    `${proxies.reduce((sum, { count }) => sum + count, 0)}: ${proxies[0]?.proxy ?? ""}${more(proxies.length - 1)}`,
  ]);
  return `${head}${fixed}\n\n${textTable(["TYPE", "RESOURCE", "FIELDS", "PROXIES"], rows)}`;
}

/** A row per resource and proxy. */
function wideEffects(effects: ReturnType<typeof effectsReport>["effects"]): string {
  const rows = effects.flatMap(({ type, resource, effect, field, fields, proxies }) =>
    proxies.map(({ proxy, count }) => [type, resource, effect, fields.join(", ") || "-", field, proxy, String(count)]),
  );
  return textTable(["TYPE", "RESOURCE", "EFFECT", "FIELDS", "LINE'S FIELD", "PROXY", "COUNT"], rows);
}

const mostFields = 3;

function more(count: number): string {
  return count > 0 ? ` and ${count} more` : "";
}

function shownCause({ object: { config }, leaf, type }: Cause): ShownCause {
  const place = config.origin.locate(leaf.path);
  const reference = place === undefined ? config.origin.reference : `${place.file}:${place.line}`;
  return { role: type, object: nameOf(config), reference, field: leaf.path, value: leaf.value };
}

function shownObject(config: Config): ShownCause {
  return { role: "condition", object: nameOf(config), reference: config.origin.reference, field: "", value: null };
}

function shownEffect({ shortName, name, type, fields, leaf, proxies }: LineEffect) {
  const shown = proxies.map(({ proxy, count }) => ({ proxy: proxy.nodeId, count }));
  return { type: shortName, resource: name, effect: type, field: leaf.path, fields, proxies: shown };
}

function nameOf(config: Config): string {
  return `${config.kind} ${configKey(config)}`;
}

const maxShown = 120;

function shortJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
