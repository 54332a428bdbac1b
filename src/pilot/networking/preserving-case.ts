import { PreserveCaseFormatterConfigSchema } from "#gen/envoy/extensions/http/header_formatters/preserve_case/v3/preserve_case_pb.js";
import { oncePer } from "../../lib/memo.ts";
import type { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";

/** The `headerKeyFormat` of HTTP/1 headers that keep the letters they came with. */
export const preservingCase = oncePer((writer: ProtoWriter) => {
  const typedConfig = writer.any(PreserveCaseFormatterConfigSchema, {});
  return { headerFormat: { case: "statefulFormatter", value: { name: "preserve_case", typedConfig } } } as const;
});
