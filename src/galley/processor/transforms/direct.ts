import type { Output, Transformer } from "../transformer.ts";

/** Forwards one collection unchanged. The output is the input under another name, at no cost. */
export function direct(input: string, output: Output): Transformer {
  return {
    name: `direct/${output.collection}`,
    inputs: [input],
    outputs: [output],
    install: (_graph, collection) => new Map([[output.collection, collection(input)]]),
  };
}
