import type { JsonObject } from "@bufbuild/protobuf";
import type {
  MeshConfig_ExtensionProvider_EnvoyFileAccessLogProvider as FileProvider,
  MeshConfig,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { MeshConfig_AccessLogEncoding as Encoding } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { isMapping } from "../../../lib/is-mapping.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import type { AccessLog, AccessLogFormat } from "../../model/proxy/access-log.ts";
import { defaultJsonFormat, defaultTextFormat } from "../../model/proxy/access-log.ts";

/** The log file of the mesh itself, if it has one. */
export function accessLogsOf(mesh: MeshConfig): readonly AccessLog[] {
  const { accessLogFile: path } = mesh;
  return path === "" ? [] : [{ path, format: formatOf(mesh), omitsEmpty: false }];
}

/** The log file of an extension provider. */
export function providedFile(name: string, provider: FileProvider, mesh: MeshConfig): AccessLog {
  const { path, logFormat, omitEmptyValues } = provider;
  // The mesh's own provider uses the format of the mesh, unless the provider sets its own format.
  const asMesh = name === "envoy" && logFormat === undefined && !omitEmptyValues;
  return {
    path: path === "" ? "/dev/stdout" : path,
    format: asMesh ? formatOf(mesh) : providedFormat(logFormat),
    omitsEmpty: omitEmptyValues,
  };
}

function providedFormat(logFormat: FileProvider["logFormat"]): AccessLogFormat {
  const { case: kind, value } = logFormat?.logFormat ?? { case: undefined };
  if (kind !== "labels") return textFormat(kind === "text" ? value : "");
  return { type: "json", fields: Object.keys(value).length === 0 ? defaultJsonFormat : value };
}

function formatOf({ accessLogEncoding, accessLogFormat }: MeshConfig): AccessLogFormat {
  if (accessLogEncoding !== Encoding.JSON) return textFormat(accessLogFormat);
  return { type: "json", fields: fieldsIn(accessLogFormat) ?? defaultJsonFormat };
}

/** Adds a line end, because logs are read by line. */
function textFormat(text: string): AccessLogFormat {
  if (text === "") return { type: "text", text: defaultTextFormat };
  return { type: "text", text: text.endsWith("\n") ? text : `${text}\n` };
}

/** Undefined for a text that is no JSON object. Then the default fields are better than none. */
function fieldsIn(text: string): JsonObject | undefined {
  const fields = parseJson(text);
  return isMapping(fields) ? (fields as JsonObject) : undefined;
}
