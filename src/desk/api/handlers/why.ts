import { findProxy } from "../../../admin/pilot/find-proxy.ts";
import { configId } from "../../../config/config.ts";
import { withoutKeys } from "../../../lib/without-keys.ts";
import { MeshError } from "../../../lib/errors.ts";
import type { Cause } from "../../../provenance/find-causes.ts";
import { secretType } from "../../../xds/type-urls.ts";
import { causesOfField, type FieldAnswer } from "../../explain/causes-of-field.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, problem } from "../endpoint.ts";
import type { FieldCause, FieldCauses } from "../model/why.ts";
import { linkTo } from "../object-links.ts";
import { notConnected, visibleProxies } from "../proxy-facts.ts";

/** The lines behind the value of a field, as `binnacle why` finds them. One question at a time, and none under load. */
export async function explainField(state: DeskState, { viewer, values, query }: ApiRequest): Promise<ApiAnswer> {
  const [node = "", resource = ""] = values;
  const connection = findProxy(visibleProxies(state, viewer), node);
  if (connection === undefined) return notConnected(node);
  const { mesh, enter } = state.whatIf;
  const shortName = query.get("type") ?? "";
  const type = mesh.discovery.catalogue.types.find((each) => each.shortName === shortName);
  // The lines of Secrets are never tried.
  if (type === undefined || type.typeUrl === secretType)
    return problem(400, `type: ${shortName || "none"} is not explained`);
  const gate = enter();
  if (gate.type === "refused") return problem(gate.status, gate.reason);
  try {
    const field = query.get("field") ?? "";
    const answer = await causesOfField(await mesh.trialsFor(connection.client), { type, resource, field });
    return found({ type: shortName, resource, field, ...shownCauses(answer, state) } satisfies FieldCauses);
  } catch (thrown) {
    const { code, message } = MeshError.from(thrown);
    if (code === "not-found") return problem(404, message);
    if (code === "timeout") return problem(503, message);
    throw thrown;
  } finally {
    gate.leave();
  }
}

function shownCauses({ value, lines, objects }: FieldAnswer, state: DeskState): Pick<FieldCauses, "value" | "causes"> {
  const whole = objects.map(({ kind, namespace, name }): FieldCause => {
    return { role: "condition", object: linkTo(configId(kind, namespace, name), state), field: "" };
  });
  return { value: withoutKeys({ value })["value"], causes: [...lines.map((line) => shownLine(line, state)), ...whole] };
}

function shownLine(
  { object: { config }, leaf: { path, value, steps }, type: role }: Cause,
  state: DeskState,
): FieldCause {
  const { kind, namespace, name, origin } = config;
  const link = linkTo(configId(kind, namespace, name), state);
  const place = origin.locate(path);
  const key = String(steps.at(-1) ?? "");
  const shown = withoutKeys({ [key]: value })[key] ?? "";
  const object = place === undefined ? link : { ...link, reference: `${place.file}:${place.line}` };
  return { role, object, field: path, value: shown };
}
