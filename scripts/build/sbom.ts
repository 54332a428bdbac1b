/** The software bill of materials of the package, in CycloneDX: what npm knows of every package whose code is in ours. */
import { execFileSync } from "node:child_process";
import { type BundledPackage, idOf } from "./bundled-packages.ts";
import { root } from "./bundle.ts";

interface Component {
  readonly "bom-ref": string;
  readonly [field: string]: unknown;
}

interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Without time and random number: the same packages give the same text. */
export function sbomText(packages: readonly BundledPackage[]): string {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const output = execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { serialNumber: _, metadata, components, dependencies, ...sbom } = JSON.parse(output) as Sbom;
  const { timestamp: __, component, ...aboutTools } = metadata;
  const bundled = new Set(packages.map(idOf));
  const unknown = bundled.difference(new Set(components.map((each) => each["bom-ref"])));
  if (unknown.size > 0) throw new Error(`package-lock.json lacks ${[...unknown].join(", ")}: run npm install`);

  const own = component["bom-ref"];
  const kept = components.filter((each) => bundled.has(each["bom-ref"]));
  const edges = dependencies.filter(({ ref }) => bundled.has(ref));
  const result = {
    ...sbom,
    // npm takes the name of the folder. In the package, all components are required.
    metadata: { ...aboutTools, component: { ...component, name: "binnacle" } },
    components: kept.map((each) => ({ ...each, scope: "required", properties: [] })),
    dependencies: [
      { ref: own, dependsOn: [...bundled] },
      ...edges.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => bundled.has(each)) })),
    ],
  };
  return `${JSON.stringify(result, undefined, 2)}\n`;
}
