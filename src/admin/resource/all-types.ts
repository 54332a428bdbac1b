import { createRegistry, type Registry } from "@bufbuild/protobuf";
import { oncePer } from "../../lib/memo.ts";
import { envoyRegistry } from "../../pilot/networking/patch/envoy-registry.ts";
import { envoyTypes } from "./envoy-types.ts";

/** The messages that Binnacle generates, and all others of Envoy, which EnvoyFilters may add. Built on first use. */
export function allTypes(): Registry {
  return together(envoyTypes);
}

const together = oncePer((own: Registry) => createRegistry(envoyRegistry(), own));
