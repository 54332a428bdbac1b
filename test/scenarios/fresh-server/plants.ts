import type { ConfigId } from "../../../src/config/config.ts";
import { kindNameOf } from "../../../src/pilot/model/config-id.ts";
import type { PushContext } from "../../../src/pilot/model/push-context.ts";
import type {
  Dependencies,
  Generated,
  Generator,
  GeneratorRun,
  PartFamily,
  PartInputs,
} from "../../../src/pilot/xds/generator.ts";

/** The kinds that pushes report as changed. */
const changedKinds = [
  "Service",
  "Endpoints",
  "Instance",
  "VirtualService",
  "DestinationRule",
  "Gateway",
  "Sidecar",
  "PeerAuthentication",
  "Extension",
  "EnvoyFilter",
  "RequestAuthentication",
] as const;

/**
 * One error, planted in every family at once, and found in each by itself. Four ways exist:
 *
 * - `concerns`: a family ignores a kind;
 * - `affected`: it rebuilds too little of the parts that depend on a kind;
 * - `left`: it misses objects of all kinds that leave its scope;
 * - `entered`: it misses objects of all kinds that enter its scope.
 *
 * The last two cover all kinds. A service comes and goes with its endpoints, so one kind alone would reveal the other.
 */
export interface Plant {
  readonly way: "concerns" | "affected" | "left" | "entered";
  readonly kind: (typeof changedKinds)[number] | "any";
}

export const allPlants: readonly Plant[] = [
  { way: "left", kind: "any" },
  { way: "entered", kind: "any" },
  ...(["concerns", "affected"] as const).flatMap((way) => changedKinds.map((kind) => ({ way, kind }))),
];

/** A family of a type, as contents name it. */
export type FamilyName = `${string} ${string}`;

function familyName({ shortName }: Generator, { name }: PartFamily): FamilyName {
  return `${shortName} ${name}`;
}

/** The families where a plant can be an error. */
export function familiesFor({ kind }: Plant, generators: readonly Generator[]): ReadonlySet<FamilyName> {
  return new Set(
    generators.flatMap((generator) =>
      generator.families
        .filter((family) => kind === "any" || family.concerns(kind))
        .map((family) => familyName(generator, family)),
    ),
  );
}

/**
 * The generators with these families alone, and a plant in each of them.
 * @param onEffect called with families whose run the plant changed: without a change there is no error to find
 */
export function withPlant(
  generators: readonly Generator[],
  plant: Plant,
  families: ReadonlySet<FamilyName>,
  onEffect: (family: FamilyName) => void,
): readonly Generator[] {
  return generators.map((generator) => ({
    ...generator,
    families: generator.families
      .filter((family) => families.has(familyName(generator, family)))
      .map((family) => plantedFamily(family, plant, () => onEffect(familyName(generator, family)))),
  }));
}

function plantedFamily(family: PartFamily, plant: Plant, onEffect: () => void): PartFamily {
  return plant.way === "affected"
    ? { ...family, generate: (run) => forgettingRun(family, plant.kind, run, onEffect) }
    : { ...family, dependencies: forgettingDependencies(family, plant, onEffect) };
}

/** A catalogue asks for the dependencies before a change and then for those after it, and joins both answers. */
function forgettingDependencies(
  family: PartFamily,
  { way, kind }: Plant,
  onEffect: () => void,
): PartFamily["dependencies"] {
  const isForgotten = (id: ConfigId) => kind === "any" || kindNameOf(id) === kind;
  let before: Dependencies | undefined;
  return (inputs: PartInputs, push: PushContext) => {
    const dependsOn = family.dependencies(inputs, push);
    const earlier = before;
    before = earlier === undefined ? dependsOn : undefined;
    if (earlier === undefined) return (id) => (way === "entered" || !isForgotten(id)) && dependsOn(id);
    return (id) => dependsAfter(id, earlier, dependsOn);
  };

  function dependsAfter(id: ConfigId, dependedOn: Dependencies, dependsOn: Dependencies): boolean {
    const [had, has] = [dependedOn(id), dependsOn(id)];
    if (!isForgotten(id)) return has;
    const remembers = way === "left" ? has : way === "entered" && had;
    if (!remembers && (had || has)) onEffect();
    return remembers;
  }
}

function forgettingRun(
  family: PartFamily,
  kind: string,
  run: GeneratorRun<PartInputs>,
  onEffect: () => void,
): Generated {
  const { since } = run;
  const whole = family.generate(run);
  if (since === undefined) return whole;
  const changed = new Set([...since.changed].filter((id) => kindNameOf(id) !== kind));
  const planted = family.generate({ ...run, since: { ...since, changed } });
  if (planted.covers === "all") return whole;
  if (whole.covers !== "all" && planted.covers.isSupersetOf(whole.covers)) return whole;
  onEffect();
  return planted;
}
