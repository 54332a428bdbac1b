import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";

/** The types that Binnacle generates, in the order in which a push sends them. */
export const generators = createGenerators({ writer: new ProtoWriter() });

/** CDS, EDS, … by type URL. */
export const typeNames: ReadonlyMap<string, string> = new Map(
  generators.map(({ typeUrl, shortName }) => [typeUrl, shortName]),
);
