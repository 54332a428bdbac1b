import { create, toJson } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { ConfigDumpSchema } from "#gen/envoy/admin/v3/config_dump_pb.js";
import type { Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { dumpTypes, envoyDump, rawResources } from "./envoy-dump.ts";
import { proxyPage } from "./find-proxy.ts";

type DumpState = Pick<PilotState, "connections" | "timeOf">;

/** The resources sent to proxies, in the format of Envoy's config dump. */
export function configDumpPages(state: DumpState): readonly Route[] {
  const raw = (path: string, doc: string, type: string) =>
    proxyPage({ path, doc }, state, (connection) => dumpJson(rawResources(connection, [type])));
  return [
    proxyPage(
      {
        path: "/debug/config_dump",
        doc: "configuration sent to one proxy, in the format of Envoy's config_dump, without secrets; ?types=cds,rds for some types, ?include_eds for endpoints",
      },
      state,
      (connection, query) => {
        const types = query.get("types") ?? "";
        if (types !== "") return dumpJson(rawResources(connection, types.toLowerCase().split(",")));
        return dumpJson(envoyDump(connection, state, { endpoints: query.has("include_eds") }));
      },
    ),
    raw("/debug/edsz", "endpoints sent to one proxy", "eds"),
    raw("/debug/ndsz", "DNS name table sent to one proxy", "nds"),
    raw("/debug/ecdsz", "extension configuration sent to one proxy", "ecds"),
  ];
}

function dumpJson(configs: readonly Any[]) {
  const dump = create(ConfigDumpSchema, { configs: [...configs] });
  return toJson(ConfigDumpSchema, dump, { registry: dumpTypes, useProtoFieldName: true });
}
