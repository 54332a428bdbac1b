import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { istioData } from "../shared-data.ts";

/** A file of Istio's own, as users would have it. */
export interface IstioDocument {
  /** Its path below the shared data. */
  readonly name: string;
  readonly text: string;
}

/** Every file that configures traffic; templates of benchmarks are filled in for so many services. */
export function istioDocuments({ services }: { readonly services: number }): readonly IstioDocument[] {
  const files = globSync("{config,networking,benchmarks,bookinfo,ingress}/**/*.yaml", { cwd: istioData }).toSorted();
  // Not an object but the mesh's settings, which go in by another way.
  const documents = files.filter((name) => !name.endsWith("/mesh.yaml"));
  return documents.map((name) => {
    const text = readFileSync(join(istioData, name), "utf8");
    return { name, text: name.startsWith("benchmarks/") ? fillPlaceholders(text, services) : text };
  });
}

/** The few words of Go's templates that the benchmarks use. */
export function fillPlaceholders(template: string, services: number): string {
  return template.replaceAll(
    /\{\{- range \$i := until \.Services \}\}(?<body>.*?)\{\{- end \}\}/gsu,
    (_, body: string) => Array.from({ length: services }, (__, index) => fillInOne(body, index)).join(""),
  );
}

function fillInOne(body: string, index: number): string {
  return body
    .replaceAll("{{$i}}", String(index))
    .replaceAll(/\{\{div \$i 255 ?\}\}/gu, String(Math.floor(index / 255)))
    .replaceAll(/\{\{mod \$i 255 ?\}\}/gu, String(index % 255));
}
