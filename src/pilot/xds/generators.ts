import type { ProtoWriter } from "../../lib/proto-writer.ts";
import type { Generator } from "./generator.ts";
import { createClusterGenerator } from "./generators/clusters.ts";
import { createEndpointGenerator } from "./generators/endpoints.ts";
import { createListenerGenerator } from "./generators/listeners.ts";
import { createRouteGenerator } from "./generators/routes.ts";

/** Every type we generate, in the order in which a push sends them: what is referred to before what refers to it. */
export function createGenerators({ writer }: { readonly writer: ProtoWriter }): readonly Generator[] {
  return [
    createClusterGenerator(writer),
    createEndpointGenerator(writer),
    createListenerGenerator(writer),
    createRouteGenerator(writer),
  ];
}
